import { describe, expect, test } from 'bun:test';
import { anthropicKind } from '../../providers/anthropic.ts';
import { geminiKind } from '../../providers/gemini.ts';
import type { ProviderKind } from '../../providers/kind.ts';
import { openaiKind } from '../../providers/openai.ts';
import { RelayStream } from '../relay-stream.ts';
import { renderChatAnswer } from './answer.ts';
import { parseChatRequest } from './request.ts';

const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const weather = { name: 'weather', description: 'd', parameters: { type: 'object', properties: { a: {} } } };
const user = { role: 'user', content: 'hi' };
const called = { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"a":1}' } };
const result = { role: 'function', name: 'weather', content: '{"sun":true}' };
const parse = (body: object) => parseChatRequest({ model: 'm', messages: [user], ...body });
const sent = (kind: ProviderKind, body: object) => JSON.parse(kind.toUpstream(parse(body), target).body as string);
const options = { model: 'a/b', id: 'chatcmpl-1', created: 1, oldFunctions: true } as const;

describe('legacy functions are sent to every kind of upstream', () => {
  const body = { functions: [weather], function_call: { name: 'weather' }, messages: [user, called, result] };

  test('OpenAI-compatible: as tools', () => {
    const { messages, ...rest } = sent(openaiKind, body);
    expect(rest).toMatchObject({
      tools: [{ type: 'function', function: weather }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    });
    expect(rest).not.toContainAnyKeys(['functions', 'function_call']);
    const id = messages[1].tool_calls[0].id;
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: id, content: '{"sun":true}' },
    ]);
  });

  test('Anthropic', () => {
    const request = sent(anthropicKind, body);
    expect(request.tools).toMatchObject([{ name: 'weather', input_schema: { properties: { a: {} } } }]);
    expect(request.tool_choice).toMatchObject({ type: 'tool', name: 'weather' });
    const { id } = request.messages[1].content[0];
    expect(request.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'weather', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: [{ text: '{"sun":true}' }] }] },
    ]);
  });

  test('Gemini', () => {
    const request = sent(geminiKind, { ...body, function_call: 'none' });
    expect(request.tools[0].functionDeclarations).toMatchObject([{ name: 'weather' }]);
    expect(request.toolConfig.functionCallingConfig).toEqual({ mode: 'NONE' });
    expect(request.contents.slice(1)).toMatchObject([
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { a: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { sun: true } } }] },
    ]);
  });

  test('each result belongs to its call, also if the client dropped the call', () => {
    const { messages } = sent(openaiKind, { messages: [result, user, called, result, called, result] });
    const calls = messages.flatMap((message: { tool_calls?: { id: string }[] }) => message.tool_calls ?? []);
    const results = messages.flatMap((message: { tool_call_id?: string }) => message.tool_call_id ?? []);
    expect(results).toEqual(calls.map(({ id }: { id: string }) => id));
    expect(new Set(results).size).toBe(3);
  });

  test.each([
    [{ functions: 'x' }, 'functions'],
    [{ functions: [{}] }, 'functions[0].name'],
    [{ functions: [{ name: 'a', parameters: [] }] }, 'functions[0].parameters'],
    [{ functions: [weather], function_call: 7 }, 'function_call'],
    [{ functions: [weather], function_call: {} }, 'function_call.name'],
    [{ messages: [{ role: 'function', content: 'x' }] }, 'messages[0].name'],
    [{ messages: [{ role: 'assistant', function_call: {} }] }, 'messages[0].function_call.name'],
  ])('an error names the original field: %j', (fault, param) => {
    expect(() => parse(fault)).toThrow(`'${param}'`);
  });

  test('empty and null values are ignored', () => {
    for (const nothing of [{ functions: [] }, { functions: null, function_call: null }]) {
      const given = parse({ ...nothing, messages: [user, { role: 'assistant', content: 'x', function_call: null }] });
      expect(given.oldFunctions).toBeUndefined();
      expect(given.params.tools).toBeUndefined();
    }
    expect(parse({ functions: [weather], tools: [{ type: 'function', function: weather }] }).oldFunctions).toBe(
      undefined,
    );
  });
});

describe('clients of legacy functions get legacy answers', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{"a":1}' } });
  const expected = {
    message: { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"a":1}' } },
    finish_reason: 'function_call',
  };

  test('whole, from an upstream of the same format', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
    const choice = { index: 0, message, finish_reason: 'tool_calls' };
    const body = { id: 'c', model: 'm-1', choices: [choice, { ...choice, index: 1 }] };
    const { choices } = renderChatAnswer(openaiKind.fromUpstream(body), options) as { choices: unknown[] };
    expect(choices).toEqual([
      { index: 0, ...expected },
      { index: 1, ...expected },
    ]);
  });

  test('whole, from an upstream of another format', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'weather', input: { a: 1 } }];
    const given = anthropicKind.fromUpstream({ id: 'm', content, stop_reason: 'tool_use' });
    const [choice] = renderChatAnswer(given, options).choices as { message: object }[];
    expect(choice).toMatchObject(expected);
    expect(choice!.message).not.toContainKey('tool_calls');
  });

  const follow = (kind: ProviderKind, events: object[], done = '') => {
    const stream = new RelayStream({
      ...options,
      client: 'chat',
      upstream: kind.wire,
      decode: kind.decoder(),
      includeUsage: false,
      onPlainText: () => {},
    });
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + done;
    const out = stream.push(new TextEncoder().encode(text));
    const { tail } = stream.end();
    const written = Buffer.concat([out ?? new Uint8Array(), tail ?? new Uint8Array()]).toString();
    return written
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .flatMap(
        (frame) => (JSON.parse(frame.slice(6)) as { choices: { delta: object; finish_reason: unknown }[] }).choices,
      );
  };
  const pieces = (choices: { delta: object }[]) =>
    choices.map(({ delta }) => delta).filter((delta) => 'function_call' in delta);

  test('streamed, from an upstream of the same format, for each choice', () => {
    const chunk = (index: number, delta: object, finish: string | null = null) => ({
      id: 'c',
      choices: [{ index, delta, finish_reason: finish }],
    });
    const begin = (index: number, name: string) => ({
      tool_calls: [{ index, id: name, type: 'function', function: { name, arguments: '' } }],
    });
    const args = (index: number) => ({ tool_calls: [{ index, function: { arguments: '{}' } }] });
    const all = [0, 1].flatMap((index) => [
      chunk(index, { role: 'assistant', content: null }),
      chunk(index, begin(0, 'f')),
      chunk(index, args(0)),
      chunk(index, begin(1, 'g')),
      chunk(index, args(1)),
      chunk(index, {}, 'tool_calls'),
    ]);
    const choices = follow(openaiKind, all, 'data: [DONE]\n\n');
    const one = [{ function_call: { name: 'f', arguments: '' } }, { function_call: { arguments: '{}' } }];
    expect(pieces(choices)).toEqual([...one, ...one]);
    expect(JSON.stringify(choices)).not.toContain('tool_calls');
    expect(choices.map(({ finish_reason }) => finish_reason).filter(Boolean)).toEqual([
      'function_call',
      'function_call',
    ]);
  });

  test('streamed, from an upstream of another format', () => {
    const part = { functionCall: { name: 'f', args: { a: 1 } } };
    const choices = follow(geminiKind, [{ candidates: [{ content: { parts: [part, part] }, finishReason: 'STOP' }] }]);
    expect(pieces(choices)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"a":1}' } },
    ]);
    expect(choices.at(-1)!.finish_reason).toBe('function_call');
    expect(JSON.stringify(choices)).not.toContain('tool_calls');
  });
});
