import { describe, expect, test } from 'bun:test';
import { ApiError } from '../../api.ts';
import { firstModel, modelGroups, providersOf } from '../../models.ts';
import { type Chunk, withChunk } from './chunk.ts';
import { type AnswerEntry, type Entry, messagesOf, newAnswer, openCalls } from './conversation.ts';
import { readEvents } from './read-events.ts';
import {
  changedCount,
  curlOf,
  defaultSettings,
  exampleTools,
  numberFaults,
  readTools,
  refusedOf,
  requestOf,
} from './settings.ts';

const said = (content: string, images: string[] = []): Entry => ({ id: content, role: 'user', content, images });
const answered = (fields: Partial<AnswerEntry>): AnswerEntry => ({
  ...newAnswer('a', { id: 'c', model: 'm' }, {}),
  state: 'done',
  ...fields,
});
const call = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' };

describe('messages', () => {
  test('starts with the system prompt, sends images as parts and tool results by id', () => {
    const entries: Entry[] = [
      said('look', ['data:image/png;base64,AA']),
      answered({ toolCalls: [call] }),
      { id: 't', role: 'tool', column: 'c', toolCallId: 'call_1', name: 'get_weather', content: 'sunny' },
    ];
    expect(messagesOf(entries, ' Be brief. ')).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: call.arguments } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ]);
  });

  test('leaves out tool calls without a result', () => {
    const entries = [said('hi'), answered({ content: 'Let me look.', toolCalls: [call] }), said('never mind')];
    expect(messagesOf(entries, '')[1]).toEqual({ role: 'assistant', content: 'Let me look.' });
  });

  test('leaves out failed answers', () => {
    expect(messagesOf([said('hi'), answered({ state: 'failed' }), said('again')], '')).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'again' },
    ]);
  });

  test('tool calls are open until the next message or until the answer is stopped', () => {
    const asked = [said('hi'), answered({ toolCalls: [call] })];
    expect(openCalls(asked)).toEqual([call]);
    expect(openCalls([...asked, said('never mind')])).toEqual([]);
    expect(openCalls([said('hi'), answered({ toolCalls: [call], state: 'stopped' })])).toEqual([]);
  });
});

describe('requests', () => {
  test('only changed settings are sent', () => {
    expect(requestOf('m', [said('hi')], { ...defaultSettings, stream: false })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
    });
    const set = { ...defaultSettings, temperature: 0, maxTokens: 10, jsonMode: true, tools: exampleTools };
    expect(requestOf('m', [], set)).toMatchObject({
      temperature: 0,
      max_tokens: 10,
      response_format: { type: 'json_object' },
      tool_choice: 'auto',
      stream: true,
    });
    expect(changedCount(set, false)).toBe(4);
  });

  test('the orchestration model continues its session', () => {
    const entries = [said('hi'), answered({ content: 'ok', meta: { session_id: 'ms-1' } })];
    expect(requestOf('svc/svc-ms', entries, defaultSettings).svc_ms).toEqual({
      session_id: 'ms-1',
      include_reasoning: true,
    });
    expect(requestOf('m', entries, defaultSettings).svc_ms).toBeUndefined();
  });

  test('tools: a plain function is wrapped, errors are described', () => {
    expect(readTools('{"name":"f"}').tools).toEqual([{ type: 'function', function: { name: 'f' } }]);
    expect(readTools('[').fault).toStartWith('Invalid JSON');
    expect(readTools('[{"name":"f"},{"function":{}}]').fault).toBe('Tool 2 needs a function with a name.');
    expect(readTools(' ')).toEqual({ tools: [], fault: null });
  });

  test('numbers out of range are reported and not sent', () => {
    const wrong = { ...defaultSettings, temperature: 3, topP: -0.1, maxTokens: -1, seed: -1, stream: false };
    expect(numberFaults(wrong)).toEqual({
      temperature: 'Enter a number from 0 to 2.',
      topP: 'Enter a number from 0 to 1.',
      maxTokens: 'Enter a whole number of at least 1.',
    });
    expect(refusedOf(wrong)[2]).toBe('Max tokens is not sent: Enter a whole number of at least 1.');
    expect(requestOf('m', [], wrong)).toEqual({ model: 'm', messages: [], seed: -1 });
    expect(numberFaults({ temperature: 2, topP: 0, maxTokens: 1 })).toEqual({});
    expect(refusedOf(defaultSettings)).toEqual([]);
  });

  test('quotes are escaped in curl commands', () => {
    const line = curlOf('http://x', { model: 'm', messages: [{ role: 'user', content: "it's" }] });
    expect(line).toContain(`"content": "it'\\''s"`);
    expect(line).toStartWith('curl http://x/v1/chat/completions');
  });
});

describe('chunks', () => {
  const read = (chunks: Chunk[]) => chunks.reduce(withChunk, newAnswer('a', { id: 'c', model: 'm' }, {}));
  test('text, reasoning, partial tool calls, usage and plan are collected', () => {
    const answer = read([
      { choices: [{ delta: { reasoning_content: 'hm' } }] },
      { choices: [{ delta: { content: 'a' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"x"' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }], svc_ms_meta: { session_id: 's' } },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    ]);
    expect(answer).toMatchObject({
      content: 'a',
      reasoning: 'hm',
      toolCalls: [{ id: 'c', name: 'f', arguments: '{"x":1}' }],
      finishReason: 'tool_calls',
      meta: { session_id: 's' },
      stats: { promptTokens: 3, completionTokens: 4 },
    });
  });

  test('tool calls are ordered by their first chunk, whatever their index', () => {
    const piece = (index: number, name?: string): Chunk => ({
      choices: [{ delta: { tool_calls: [{ index, ...(name && { id: name }), function: { name, arguments: 'x' } }] } }],
    });
    for (const index of [200_000_000, 1e308, -1, 1.5]) {
      const { toolCalls } = read([piece(index, 'a'), piece(index), piece(1, 'b'), piece(1)]);
      expect(toolCalls.map((call) => [call.name, call.arguments])).toEqual([
        ['a', 'xx'],
        ['b', 'xx'],
      ]);
    }
  });

  test('an error inside the stream is thrown', () => {
    expect(() => read([{ error: { message: 'gone' } }])).toThrow(new ApiError(502, 'gone', null));
  });
});

test('events are parsed wherever the bytes are split', async () => {
  const bytes = new TextEncoder().encode(': ping\n\ndata: {"a":"ü"}\r\n\r\ndata:two\ndata: lines\n\ndata: [DONE]');
  for (const size of [1, 2, 7, 1_000]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const events: string[] = [];
    for await (const event of readEvents(body)) events.push(event);
    expect(events).toEqual(['{"a":"ü"}', 'two\nlines', '[DONE]']);
  }
});

test('lists only chat models, orchestration first, and preselects a real model', () => {
  const models = [
    { id: 'demo/chat', owned_by: 'demo' },
    { id: 'x/gpt', owned_by: 'x', types: ['chat'] },
    { id: 'x/embed-1', owned_by: 'x' },
    { id: 'x/sounds-like-chat', owned_by: 'x', types: ['embedding'] },
    { id: 'svc/svc-ms', owned_by: 'svc' },
  ];
  expect(modelGroups(models).map(({ group, items }) => [group, items.map(({ value }) => value)])).toEqual([
    ['Orchestration', ['svc/svc-ms']],
    ['demo', ['demo/chat']],
    ['x', ['x/gpt']],
  ]);
  expect(firstModel(models)).toBe('x/gpt');
  expect(firstModel(models.slice(0, 1))).toBe('demo/chat');
  expect(firstModel([])).toBe('');
});

test('a model with an open circuit is preselected only if no other can answer', () => {
  const health = (circuit_state: 'open' | 'half_open' | 'closed') => ({
    health: { circuit_state, requests_last_hour: 8, success_rate_last_hour: 0 },
  });
  const broken = { id: 'a/broken', owned_by: 'a', ...health('open') };
  const demo = { id: 'demo/chat', owned_by: 'demo', ...health('closed') };
  const orchestration = { id: 'svc/svc-ms', owned_by: 'svc', health: null };
  expect(firstModel([broken, { id: 'b/fine', owned_by: 'b', ...health('closed') }, demo])).toBe('b/fine');
  expect(firstModel([broken, { id: 'b/probing', owned_by: 'b', ...health('half_open') }, demo])).toBe('b/probing');
  const probing = { id: 'a/probing', owned_by: 'a', ...health('half_open') };
  expect(firstModel([probing, { id: 'b/fine', owned_by: 'b', ...health('closed') }, demo])).toBe('b/fine');
  expect(firstModel([broken, demo, orchestration])).toBe('demo/chat');
  expect(firstModel([broken, orchestration])).toBe('a/broken');
});

test('a provider counts as down for the models whose circuit is open', () => {
  const both = { id: 'a/both', owned_by: 'a', providers: ['good', 'bad'], unavailable: ['bad'] };
  const one = { id: 'a/one', owned_by: 'a', providers: ['good'], unavailable: [] };
  expect(providersOf([both, one])).toEqual([
    { name: 'good', models: 2, down: 0 },
    { name: 'bad', models: 1, down: 1 },
  ]);
});
