import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import type { Target } from '../kind.ts';
import { toConverse } from './converse-request.ts';

const target: Target = { baseUrl: 'http://up', credential: 'key', modelName: 'meta.llama3-3-70b-instruct-v1:0' };
const nova = { modelName: 'us.amazon.nova-lite-v1:0' };
const user = { role: 'user', content: 'hi' };
const bodyOf = (conversation: ReturnType<typeof parseChatRequest>, to: Partial<Target> = {}): Json =>
  JSON.parse(toConverse(conversation, { ...target, ...to }).body as string);
const sent = (body: Json, to?: Partial<Target>) =>
  bodyOf(parseChatRequest({ model: 'm', messages: [user], ...body }), to);
const given = (content: unknown, more: Json = {}, to?: Partial<Target>) =>
  bodyOf(parseMessagesRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], ...more }), to);
const refusal = (ask: () => unknown): string => {
  try {
    ask();
  } catch (error) {
    if (error instanceof AppError) return `${error.extras?.param}: ${error.message}`;
  }
  return 'not refused';
};

test('translates text, limits and system messages', () => {
  expect(
    sent({
      ...{ max_tokens: 7, temperature: 1.7, top_p: 0.5, stop: ['END', ''], seed: 1, top_k: 3, stream: true },
      messages: [{ role: 'system', content: 'be brief' }, user, { role: 'user', content: 'there' }],
    }),
  ).toEqual({
    messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'there' }] }],
    system: [{ text: 'be brief' }],
    inferenceConfig: { maxTokens: 7, temperature: 1, topP: 0.5, stopSequences: ['END'] },
  });
  expect(sent({})).toEqual({ messages: [{ role: 'user', content: [{ text: 'hi' }] }], inferenceConfig: {} });
  expect(sent({}, { paid: true }).inferenceConfig).toEqual({ maxTokens: 4096 });
});

test('a JSON schema becomes an instruction', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const { system } = sent({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
  expect(JSON.stringify(system)).toContain('JSON Schema');
});

describe('tools', () => {
  const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"x":1}' } });
  const tool = (name: string) => ({
    type: 'function',
    function: { name, description: 'd', parameters: { type: 'object', properties: { x: {} } } },
  });
  const spec = (name: string) => ({
    toolSpec: { name, description: 'd', inputSchema: { json: { type: 'object', properties: { x: {} } } } },
  });
  const loop = [
    user,
    { role: 'assistant', content: 'look', tool_calls: [call('call_b', 'f'), call('call_a', 'g')] },
    { role: 'tool', tool_call_id: 'call_b', content: 'B' },
    { role: 'tool', tool_call_id: 'call_a', content: '' },
    { role: 'user', content: 'and?' },
  ];

  test('translates tools and tool_choice', () => {
    const tools = [tool('f')];
    expect(sent({ tools }).toolConfig).toEqual({ tools: [spec('f')] });
    expect(sent({ tools, tool_choice: 'required' }).toolConfig).toEqual({
      tools: [spec('f')],
      toolChoice: { any: {} },
    });
    expect(sent({ tools, tool_choice: { type: 'function', function: { name: 'f' } } }).toolConfig).toEqual({
      tools: [spec('f')],
      toolChoice: { tool: { name: 'f' } },
    });
    expect(sent({ tools, tool_choice: 'none' })).not.toHaveProperty('toolConfig');
  });

  test('keeps order and ids of calls and results', () => {
    const { messages } = sent({ tools: [tool('f'), tool('g')], messages: loop });
    expect((messages as Json[]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { text: 'look' },
          { toolUse: { toolUseId: 'call_b', name: 'f', input: { x: 1 } } },
          { toolUse: { toolUseId: 'call_a', name: 'g', input: { x: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'call_b', content: [{ text: 'B' }] } },
          { toolResult: { toolUseId: 'call_a', content: [{ text: '.' }] } },
          { text: 'and?' },
        ],
      },
    ]);
  });

  test('tools called earlier are declared even if none is given or allowed, and the prompt forbids calls', () => {
    const bare = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } } } });
    const words = [{ text: 'Answer in words; do not call any tool.' }];
    expect(sent({ messages: loop })).toMatchObject({ toolConfig: { tools: [bare('f'), bare('g')] }, system: words });
    expect(sent({ messages: loop, tools: [tool('f')], tool_choice: 'none' })).toMatchObject({
      toolConfig: { tools: [spec('f'), bare('g')] },
      system: words,
    });
    expect(sent({ messages: loop, tools: [tool('f')] })).toMatchObject({
      toolConfig: { tools: [spec('f'), bare('g')] },
    });
    expect(sent({ messages: loop, tools: [tool('f')] })).not.toHaveProperty('system');
  });

  test('long ids are shortened consistently in calls and results and stay distinct', () => {
    const ids = ['a', 'b'].map((end) => 'x'.repeat(90) + end);
    const { messages } = sent({
      messages: [
        user,
        { role: 'assistant', tool_calls: ids.map((id) => call(id, 'f')) },
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' })),
      ],
    });
    const found = [...JSON.stringify(messages).matchAll(/"toolUseId":"([a-zA-Z0-9_.:-]{1,64})"/g)].map(([, id]) => id);
    expect(found).toHaveLength(4);
    expect(found.slice(0, 2)).toEqual(found.slice(2));
    expect(new Set(found).size).toBe(2);
  });

  test('failed results are marked; images stay inside results if the model supports it, else follow them', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'iV' } };
    const result = (id: string, ...content: Json[]) => ({ type: 'tool_result', tool_use_id: id, content });
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const turns = [
      user,
      { role: 'assistant', content: [use('t'), use('u')] },
      { role: 'user', content: [{ ...result('t', image), is_error: true }, result('u', { type: 'text', text: 'ok' })] },
    ];
    const lastOf = (to?: Partial<Target>) =>
      (given('hi', { messages: turns }, to).messages as { content: Json[] }[])[2]!.content;
    const picture = { image: { format: 'webp', source: { bytes: 'iV' } } };
    const other = { toolResult: { toolUseId: 'u', content: [{ text: 'ok' }] } };
    const failed = (content: Json) => ({ toolResult: { toolUseId: 't', content: [content], status: 'error' } });
    expect(lastOf(nova)).toEqual([failed(picture), other]);
    expect(lastOf({ modelName: 'global.openai.gpt-6-astra' })).toEqual([failed({ text: '.' }), other, picture]);
  });

  test('unsupported tool names are rejected by name', () => {
    for (const name of ['a.b', 'x'.repeat(65)])
      expect(refusal(() => given('hi', { tools: [{ name, input_schema: { type: 'object' } }] }))).toStartWith(
        `tools: The name '${name}'`,
      );
  });
});

test('own thinking is returned, foreign thinking is dropped', () => {
  const { messages } = given('hi', {
    messages: [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a', signature: 'Sig' },
          { type: 'thinking', thinking: 'b', signature: 'gemini#x' },
          { type: 'redacted_thinking', data: 'zz' },
          { type: 'text', text: 'said' },
        ],
      },
      user,
    ],
  });
  expect((messages as { content: Json[] }[])[1]!.content).toEqual([
    { reasoningContent: { reasoningText: { text: 'a', signature: 'Sig' } } },
    { reasoningContent: { redactedContent: 'zz' } },
    { text: 'said' },
  ]);
});

describe('images and documents', () => {
  const file = (title: string | undefined, media_type = 'application/pdf') => ({
    type: 'document',
    ...(title !== undefined && { title }),
    source: { type: 'base64', media_type, data: 'JV' },
  });
  const contentOf = (body: Json) => (body.messages as { content: Json[] }[])[0]!.content;

  test('are sent as data, with a unique name and a text', () => {
    expect(contentOf(given([file('My_report v2.pdf'), file('My report/v2.pdf'), file(undefined)]))).toEqual([
      { document: { format: 'pdf', name: 'My report v2 pdf', source: { bytes: 'JV' } } },
      { document: { format: 'pdf', name: 'My report v2 pdf (2)', source: { bytes: 'JV' } } },
      { document: { format: 'pdf', name: 'document', source: { bytes: 'JV' } } },
      { text: '.' },
    ]);
    const text = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hé' } };
    expect(contentOf(given([text, { type: 'text', text: 'read' }]))).toEqual([
      { document: { format: 'txt', name: 'document', source: { bytes: 'aMOp' } } },
      { text: 'read' },
    ]);
    const picture = { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,iV' } };
    expect(contentOf(sent({ messages: [{ role: 'user', content: [picture] }] }))).toEqual([
      { image: { format: 'jpeg', source: { bytes: 'iV' } } },
    ]);
  });

  test.each<[string, Json, string]>([
    ['an image URL', { type: 'image', source: { type: 'url', url: 'https://x/a.png' } }, "messages: 'url'"],
    ['an Anthropic file', { type: 'document', source: { type: 'file', file_id: 'f_1' } }, "messages: 'f_1'"],
    ['an unsupported format', file('a', 'application/zip'), "messages: Parts of type 'file'"],
    ['a container upload', { type: 'container_upload', file_id: 'f_1' }, "messages: Parts of type 'container_upload'"],
  ])('%s is rejected by name', (_, block, words) => {
    expect(refusal(() => given([block]))).toStartWith(words);
  });
});

test('vendor tools and n above 1 are rejected', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  expect(refusal(() => given('hi', { tools }))).toStartWith('tools:');
  expect(refusal(() => sent({ n: 2 }))).toStartWith('n:');
});

test('whitespace is dropped; a turn of only whitespace gets a placeholder', () => {
  expect(sent({ messages: [{ role: 'user', content: ' \n' }] }).messages).toEqual([
    { role: 'user', content: [{ text: '.' }] },
  ]);
});

test('cache markers are sent only to models that support them', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const more = { system: [{ type: 'text', text: 's', cache_control }] };
  const content = [{ type: 'text', text: 'a', cache_control }];
  const cachePoint = { type: 'default' };
  expect(given(content, more, nova)).toMatchObject({
    system: [{ text: 's' }, { cachePoint }],
    messages: [{ content: [{ text: 'a' }, { cachePoint }] }],
  });
  expect(JSON.stringify(given(content, more))).not.toContain('cachePoint');
  const result = { type: 'tool_result', tool_use_id: 't', content };
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
  const inside = given('', { messages: [user, call, { role: 'user', content: [result] }] }, nova);
  expect(JSON.stringify(inside)).not.toContain('cachePoint');
});

test.each<[string, string, Json | undefined]>([
  ['us.amazon.nova-2-lite-v1:0', 'low', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
  ['us.amazon.nova-2-lite-v1:0', 'high', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
  ['openai.gpt-oss-120b-1:0', 'high', { reasoning_effort: 'high' }],
  ['openai.gpt-oss-120b-1:0', 'minimal', { reasoning_effort: 'low' }],
  ['openai.gpt-oss-120b-1:0', 'none', undefined],
  ['meta.llama3-3-70b-instruct-v1:0', 'high', undefined],
])('%s with reasoning effort %s', (modelName, reasoning_effort, fields) => {
  const body = sent({ reasoning_effort, temperature: 0.3 }, { modelName });
  expect(body.additionalModelRequestFields).toEqual(fields!);
  expect(body.inferenceConfig).toEqual({ temperature: 0.3 });
});
