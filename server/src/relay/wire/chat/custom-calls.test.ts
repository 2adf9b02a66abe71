import { describe, expect, test } from 'bun:test';
import { anthropicKind } from '../../providers/anthropic.ts';
import { bedrockKind } from '../../providers/bedrock.ts';
import { geminiKind } from '../../providers/gemini.ts';
import type { ProviderKind } from '../../providers/kind.ts';
import { openaiKind } from '../../providers/openai.ts';
import type { Json } from '../conversation.ts';
import { RelayStream } from '../relay-stream.ts';
import { renderChatAnswer } from './answer.ts';
import { parseChatRequest } from './request.ts';

const definition = 'start: /[a-z]+/';
const format = { type: 'grammar', grammar: { syntax: 'lark', definition } };
const patch = { type: 'custom', custom: { name: 'patch', description: 'Edits.', format } };
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const input = '*** Begin\n"a" \\ é';
const body = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Edit it.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'patch', input } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ],
  tools: [weather, patch],
  tool_choice: { type: 'custom', custom: { name: 'patch' } },
};
const sent = (kind: ProviderKind, modelName: string, given: Json = body): Json =>
  JSON.parse(
    kind.toUpstream(parseChatRequest(given), { baseUrl: 'http://up', credential: 'c', modelName }).body as string,
  );
const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
const description = expect.stringContaining(definition);

describe('custom tools are sent to every kind of upstream', () => {
  test('unchanged if the model supports them', () => {
    for (const modelName of ['gpt-5.5', 'openai/gpt-6']) {
      const { tools, tool_choice, messages } = sent(openaiKind, modelName);
      expect({ tools, tool_choice, messages }).toEqual({ ...body, model: undefined } as never);
    }
  });

  const called = { name: 'patch', arguments: JSON.stringify({ input }) };
  const kinds: [name: string, ProviderKind, string, Json][] = [
    [
      'another model of the same format',
      openaiKind,
      'glm-5',
      {
        tools: [weather, { type: 'function', function: { name: 'patch', description, parameters } }],
        tool_choice: { type: 'function', function: { name: 'patch' } },
        messages: [{}, { tool_calls: [{ id: 'c1', type: 'function', function: called }] }, { tool_call_id: 'c1' }],
      },
    ],
    [
      'responses, which support them',
      openaiKind.responses!,
      'gpt-5.5',
      {
        tools: [
          { type: 'function', name: 'weather' },
          { type: 'custom', name: 'patch', description: 'Edits.', format: { type: 'grammar', ...format.grammar } },
        ],
        tool_choice: { type: 'custom', name: 'patch' },
        input: [
          { type: 'message' },
          { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input },
          { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
        ],
      },
    ],
    [
      'Anthropic',
      anthropicKind,
      'claude-sonnet-4-6',
      {
        tools: [{ name: 'weather' }, { name: 'patch', description, input_schema: parameters }],
        tool_choice: { type: 'tool', name: 'patch' },
        messages: [{}, { content: [{ type: 'tool_use', id: 'c1', name: 'patch', input: { input } }] }, {}],
      },
    ],
    [
      'Gemini',
      geminiKind,
      'gemini-3-pro',
      {
        tools: [{ functionDeclarations: [{ name: 'weather' }, { name: 'patch', description }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['patch'] } },
        contents: [{}, { parts: [{ functionCall: { name: 'patch', args: { input } } }] }, {}],
      },
    ],
    [
      'Bedrock',
      bedrockKind,
      'amazon.nova-pro-v1:0',
      {
        toolConfig: {
          tools: [
            { toolSpec: { name: 'weather' } },
            { toolSpec: { name: 'patch', inputSchema: { json: parameters } } },
          ],
          toolChoice: { tool: { name: 'patch' } },
        },
      },
    ],
  ];

  test.each(kinds)('%s', (_, kind, modelName, expected) => {
    expect(sent(kind.forModel?.(modelName) ?? kind, modelName)).toMatchObject(expected);
  });

  test('only the allowed ones if tool_choice limits them', () => {
    const tools = [{ type: 'custom', custom: { name: 'patch' } }];
    const given = { ...body, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools } } };
    expect(sent(anthropicKind, 'claude-sonnet-4-6', given)).toMatchObject({
      ...{ tools: [{ name: 'patch' }], tool_choice: { type: 'any' } },
    });
    expect(sent(openaiKind, 'glm-5', given).tool_choice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'patch' } }] },
    });
  });

  test.each([
    [{ type: 'custom' }, 'tools[0].custom'],
    [{ type: 'custom', custom: {} }, 'tools[0].custom.name'],
    [{ type: 'custom', custom: { name: 'a', format: { type: 'xml' } } }, 'tools[0].custom.format.type'],
    [{ type: 'custom', custom: { name: 'a', format: { type: 'grammar', grammar: {} } } }, 'definition'],
  ])('an error names the original field: %j', (tool, param) => {
    expect(() => parseChatRequest({ ...body, tools: [tool] })).toThrow(param);
  });
});

const options = { model: 'a/b', id: 'chatcmpl-1', created: 1, customTools: new Set(['patch']) };
const args = JSON.stringify({ input });
const fn = (name: string, text: string) => ({ name, arguments: text });

describe('calls of custom tools are returned as text', () => {
  const use = (name: string, given: Json) => ({ type: 'tool_use', id: `t-${name}`, name, input: given });
  const call = (name: string, text: string) => ({ id: `t-${name}`, type: 'function', function: fn(name, text) });
  const expected = [
    { id: 't-weather', type: 'function', function: fn('weather', '{"a":1}') },
    { id: 't-patch', type: 'custom', custom: { name: 'patch', input } },
  ];

  const choice = { index: 0, finish_reason: 'tool_calls' };
  test.each<[string, ProviderKind, Json]>([
    [
      'the same format',
      openaiKind,
      {
        id: 'c',
        choices: [
          { ...choice, message: { content: null, tool_calls: [call('weather', '{"a":1}'), call('patch', args)] } },
        ],
      },
    ],
    [
      'responses',
      openaiKind.responses!,
      {
        status: 'completed',
        output: [
          { type: 'function_call', call_id: 't-weather', ...fn('weather', '{"a":1}') },
          { type: 'custom_tool_call', call_id: 't-patch', name: 'patch', input },
        ],
      },
    ],
    [
      'another format',
      anthropicKind,
      { id: 'm', content: [use('weather', { a: 1 }), use('patch', { input })], stop_reason: 'tool_use' },
    ],
  ])('whole, from %s', (_, kind, answer) => {
    const [told] = renderChatAnswer(kind.fromUpstream(answer), options).choices as Json[];
    expect(told).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: expected } });
  });

  const follow = (kind: ProviderKind, events: object[], done: string) => {
    const stream = new RelayStream({
      ...{ ...options, client: 'chat', upstream: kind.wire, decode: kind.decoder(), includeUsage: false },
      onPlainText: () => {},
    });
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + done;
    const out = [stream.push(new TextEncoder().encode(text)), stream.end().tail];
    return Buffer.concat(out.map((bytes) => bytes ?? new Uint8Array()))
      .toString()
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .flatMap(
        (frame) => (JSON.parse(frame.slice(6)) as { choices: { delta: Json; finish_reason: unknown }[] }).choices,
      );
  };

  /** As libraries put the pieces together: by their number, letters added to letters. */
  const gathered = (choices: ReturnType<typeof follow>) => {
    const calls: Json[] = [];
    const finishes = choices.map(({ finish_reason: finish }) => finish).filter((finish) => finish != null);
    for (const { delta } of choices)
      for (const { index, ...piece } of (delta.tool_calls ?? []) as Json[]) {
        const known = calls[index as number] ?? {};
        calls[index as number] = known;
        for (const [name, value] of Object.entries(piece))
          known[name] = typeof value === 'string' ? value : joined(known[name] as Json, value as Json);
      }
    return { calls, finishes };
  };
  const joined = (before: Json = {}, more: Json): Json =>
    Object.fromEntries(
      [...new Set([...Object.keys(before), ...Object.keys(more)])].map((name) => [
        name,
        `${before[name] ?? ''}${more[name] ?? ''}`,
      ]),
    );

  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const start = (index: number, name: string) => ({
    tool_calls: [{ index, id: `t-${name}`, type: 'function', function: fn(name, '') }],
  });
  const more = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  const halves = [args.slice(0, 13), args.slice(13)] as const;
  const block = (index: number, name: string) => ({
    type: 'content_block_start',
    ...{ index, content_block: use(name, {}) },
  });
  const json = (index: number, partial_json: string) => ({
    ...{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
  });
  const item = (output_index: number, type: string, given: Json) => ({ type, output_index, ...given });
  const custom = { type: 'custom_tool_call', id: 'ctc', call_id: 't-patch', name: 'patch' };
  const other = { type: 'function_call', id: 'fc', call_id: 't-weather', ...fn('weather', '{"a":1}') };

  test.each<[string, ProviderKind, object[], string]>([
    [
      'the same format',
      openaiKind,
      [
        chunk({ role: 'assistant', ...start(0, 'weather') }),
        chunk(more(0, '{"a":1}')),
        chunk(start(1, 'patch')),
        ...halves.map((half) => chunk(more(1, half))),
        chunk({}, 'tool_calls'),
      ],
      'data: [DONE]\n\n',
    ],
    [
      'responses',
      openaiKind.responses!,
      [
        { type: 'response.created', response: { id: 'r' } },
        item(0, 'response.output_item.done', { item: other }),
        item(1, 'response.output_item.added', { item: { ...custom, input: '' } }),
        item(1, 'response.custom_tool_call_input.delta', { delta: input }),
        item(1, 'response.output_item.done', { item: { ...custom, input } }),
        { type: 'response.completed', response: { status: 'completed', output: [] } },
      ],
      '',
    ],
    [
      'another format',
      anthropicKind,
      [
        { type: 'message_start', message: { id: 'm', usage: {} } },
        block(0, 'weather'),
        json(0, '{"a":1}'),
        { type: 'content_block_stop', index: 0 },
        block(1, 'patch'),
        ...halves.map((half) => json(1, half)),
        { type: 'content_block_stop', index: 1 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
        { type: 'message_stop' },
      ],
      '',
    ],
  ])('streamed, from %s', (_, kind, events, done) => {
    expect(gathered(follow(kind, events, done))).toEqual({ calls: expected, finishes: ['tool_calls'] });
  });
});
