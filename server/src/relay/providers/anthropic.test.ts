import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import { type Json, UpstreamFault } from '../wire/conversation.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { mergeBetas } from './anthropic/request.ts';
import { traitsOf } from './anthropic/traits.ts';
import { anthropicKind } from './anthropic.ts';
import type { Target } from './kind.ts';

const target: Target = { baseUrl: 'https://api.anthropic.com', credential: 'sk-ant', modelName: 'claude-sonnet-4-5' };
const user = { role: 'user', content: 'hi' };

const sent = (body: Json, to: Partial<Target> = {}): Json =>
  JSON.parse(
    anthropicKind.toUpstream(parseChatRequest({ model: 'm', messages: [user], ...body }), { ...target, ...to })
      .body as string,
  );

describe('chat requests to Anthropic', () => {
  test('sets URL, headers and the required output limit', () => {
    const request = anthropicKind.toUpstream(parseChatRequest({ model: 'm', messages: [user] }), {
      ...target,
      baseUrl: 'https://api.anthropic.com/v1/',
    });
    expect(request.url).toBe('https://api.anthropic.com/v1/messages');
    expect(request.headers).toMatchObject({ 'x-api-key': 'sk-ant', 'anthropic-version': '2023-06-01' });
    expect(request.headers.authorization).toBeUndefined();
    expect(sent({}).max_tokens).toBe(4096);
    expect(sent({}, { maxOutputTokens: 64_000 }).max_tokens).toBe(64_000);
    expect(sent({ max_completion_tokens: 7 }).max_tokens).toBe(7);
  });

  test('forwards anthropic-beta and anthropic-version and merges lists', () => {
    const request = anthropicKind.toUpstream(parseChatRequest({ model: 'm', messages: [user] }), {
      ...target,
      clientHeaders: { 'anthropic-beta': 'a-1, b-2,a-1', 'anthropic-version': '2023-01-01', cookie: 'secret' },
    });
    expect(request.headers['anthropic-beta']).toBe('a-1,b-2');
    expect(request.headers['anthropic-version']).toBe('2023-01-01');
    expect(request.headers.cookie).toBeUndefined();
    expect(mergeBetas('a,b', undefined, 'b, c')).toBe('a,b,c');
  });

  test('translates system messages, images and stop sequences', () => {
    const body = sent({
      stop: 'END',
      messages: [
        { role: 'system', content: 'one' },
        { role: 'system', content: 'two' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'q' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iV' } },
            { type: 'image_url', image_url: { url: 'https://a.test/x.png' } },
          ],
        },
      ],
    });
    expect(body.system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]);
    expect(body.stop_sequences).toEqual(['END']);
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'q' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iV' } },
          { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } },
        ],
      },
    ]);
  });

  test('keeps order and ids of parallel calls and results in one turn, followed by user content', () => {
    const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } });
    const body = sent({
      messages: [
        user,
        { role: 'assistant', content: '', tool_calls: [call('call_b', '{"x":1}'), call('call_a', '')] },
        { role: 'tool', tool_call_id: 'call_b', content: 'B' },
        { role: 'tool', tool_call_id: 'call_a', content: [{ type: 'text', text: 'A' }] },
        { role: 'user', content: 'and?' },
      ],
    });
    expect((body.messages as Json[]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'call_b', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'call_a', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_b', content: [{ type: 'text', text: 'B' }] },
          { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'A' }] },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  test('JSON output becomes output_config, or an instruction for older models', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(sent({ response_format }).output_config).toEqual({
      format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
    });
    const old = sent({ response_format }, { modelName: 'claude-3-5-haiku-latest' });
    expect(old).not.toHaveProperty('output_config');
    expect(JSON.stringify(old.system)).toContain('JSON Schema');
    expect(JSON.stringify(sent({ response_format: { type: 'json_object' } }).system)).toContain('JSON object');
  });

  test('rejects n above 1, drops seed and penalties, and omits empty tools', () => {
    expect(() => sent({ n: 2 })).toThrow(AppError);
    const body = sent({ n: 1, seed: 1, frequency_penalty: 1, tools: [], tool_choice: 'auto' });
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
  });

  test('translates tools and tool_choice', () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: {} } } },
      },
    ];
    expect(sent({ tools, tool_choice: 'required', parallel_tool_calls: false })).toMatchObject({
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: { a: {} } } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(sent({ tools, tool_choice: { type: 'function', function: { name: 'f' } } }).tool_choice).toEqual({
      type: 'tool',
      name: 'f',
    });
    expect(sent({ tools, tool_choice: 'none' }).tool_choice).toEqual({ type: 'none' });
    expect(sent({ tools })).not.toHaveProperty('tool_choice');
    const forced = sent({ tools, tool_choice: 'required' }, { modelName: 'claude-opus-5-5' });
    expect(forced.tool_choice).toEqual({ type: 'auto' });
  });

  test('limits sampling parameters to Anthropic’s range and drops those a model rejects', () => {
    expect(sent({ temperature: 1.7, top_p: 0.5 })).toMatchObject({ temperature: 1 });
    expect(sent({ temperature: 1.7, top_p: 0.5 })).not.toHaveProperty('top_p');
    expect(sent({ top_p: 0.5 }).top_p).toBe(0.5);
    expect(sent({ top_k: 40 }).top_k).toBe(40);
    expect(sent({ top_k: -1 })).not.toHaveProperty('top_k');
    expect(sent({ temperature: 0.2 }, { modelName: 'claude-opus-4-8' })).not.toHaveProperty('temperature');
  });

  test('reasoning effort becomes a thinking budget within the limit, or adaptive thinking', () => {
    const old = { modelName: 'claude-sonnet-4-5' };
    expect(sent({ reasoning_effort: 'high', max_tokens: 50_000, temperature: 0.1 }, old)).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 16_384 },
    });
    expect(sent({ reasoning_effort: 'high', max_tokens: 50_000, temperature: 0.1 }, old)).not.toHaveProperty(
      'temperature',
    );
    expect(sent({ reasoning_effort: 'high', max_tokens: 2000 }, old).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 1600,
    });
    expect(sent({ reasoning_effort: 'high', max_tokens: 500 }, old)).not.toHaveProperty('thinking');
    expect(sent({ reasoning_effort: 'none' }, old)).not.toHaveProperty('thinking');
    expect(sent({ reasoning_effort: 'minimal' }, { modelName: 'claude-opus-5' })).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
  });

  test('signed thinking is returned byte for byte; foreign and unsigned thinking is dropped', () => {
    const signature = 'ErUBCkYIBRgCIkDx+/AbC==';
    const details = [
      { type: 'reasoning.text', text: 'mine', signature },
      { type: 'reasoning.text', text: 'theirs', signature: 'gemini#xyz' },
      { type: 'reasoning.text', text: 'unsigned' },
    ];
    const body = sent({ messages: [user, { role: 'assistant', content: 'ok', reasoning_details: details }, user] });
    expect((body.messages as { content: Json[] }[])[1]?.content).toEqual([
      { type: 'thinking', thinking: 'mine', signature },
      { type: 'text', text: 'ok' },
    ]);
  });

  test('thinking is not enabled in the middle of a tool loop that began without it', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
    ];
    for (const after of [[], [user]])
      expect(sent({ reasoning_effort: 'low', max_tokens: 9000, messages: [...messages, ...after] })).not.toHaveProperty(
        'thinking',
      );
  });

  test('an answer to be continued has no thoughts, and is continued without', () => {
    const reasoning_details = [{ type: 'reasoning.text', text: 'mine', signature: 'c2ln' }];
    const messages = [user, { role: 'assistant', content: 'It is', reasoning_details }];
    const body = sent({ reasoning_effort: 'low', max_tokens: 9000, messages });
    expect(body).not.toHaveProperty('thinking');
    expect((body.messages as Json[]).at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'It is' }] });
  });

  test('an answer that was cut off in its thoughts is left out', () => {
    const reasoning_details = [{ type: 'reasoning.text', text: 'mine', signature: 'c2ln' }];
    for (const content of [null, '', ' '])
      for (const after of [[], [user]]) {
        const { messages } = sent({ messages: [user, { role: 'assistant', content, reasoning_details }, ...after] });
        expect((messages as Json[]).map(({ role }) => role)).toEqual(['user']);
      }
  });
});

describe('messages requests to Anthropic', () => {
  const body = {
    model: 'anthropic/claude',
    max_tokens: 10,
    stream: true,
    provider: { only: ['x'] },
    brand_new: 1,
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a', signature: 'S+/==' },
          { type: 'thinking', thinking: 'b', signature: 'gemini#q' },
          { type: 'thinking', thinking: 'c', signature: '' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
  };

  test('the body is forwarded with the upstream model name, without our own fields and foreign thinking', () => {
    const out = JSON.parse(anthropicKind.toUpstream(parseMessagesRequest(body), target).body as string);
    const { provider: _, ...rest } = body;
    const assistant = body.messages[1] as { role: string; content: Json[] };
    expect(out).toEqual({
      ...rest,
      model: 'claude-sonnet-4-5',
      messages: [user, { role: 'assistant', content: [assistant.content[0], assistant.content[3]] }],
    });
  });

  test('count_tokens sends only supported fields', () => {
    const request = anthropicKind.countTokens!.toUpstream(parseMessagesRequest(body, 'count_tokens'), target);
    expect(request.url).toBe('https://api.anthropic.com/v1/messages/count_tokens');
    expect(Object.keys(JSON.parse(request.body as string)).sort()).toEqual(['messages', 'model', 'system']);
    expect(anthropicKind.countTokens!.fromUpstream({ input_tokens: 12 })).toBe(12);
    expect(() => anthropicKind.countTokens!.fromUpstream({})).toThrow(UpstreamFault);
  });
});

test('model traits of old, current and unknown models', () => {
  expect(traitsOf('claude-3-haiku-20240307').structuredOutput).toBe(false);
  expect(traitsOf('claude-3.5-sonnet').structuredOutput).toBe(false);
  expect(traitsOf('claude-sonnet-4-20250514').adaptiveThinking).toBe(false);
  expect(traitsOf('claude-opus-4-1-20250805').structuredOutput).toBe(true);
  expect(traitsOf('claude-opus-4-6').adaptiveThinking).toBe(true);
  expect(traitsOf('claude-something-9')).toMatchObject({ sampling: false, adaptiveThinking: true });
  expect(traitsOf('glm-4.6').sampling).toBe(true);
});

test('models are listed by id', () => {
  expect(anthropicKind.models.fromUpstream({ data: [{ id: 'claude-x', display_name: 'X' }] })).toEqual([
    { id: 'claude-x', name: 'X' },
  ]);
});
