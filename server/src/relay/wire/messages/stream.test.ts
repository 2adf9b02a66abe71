import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { SseParser } from '../../../lib/sse.ts';
import type { Delta, Json } from '../conversation.ts';
import { MessagesStream } from './stream.ts';

const options = { id: 'msg_1', model: 'a/b', promptTokens: 9, requestId: 'req_1' };

function render(deltas: Delta[]): Json[] {
  const stream = new MessagesStream(options);
  const events = new SseParser().push(new TextEncoder().encode(deltas.map((delta) => stream.push(delta)).join('')));
  return events.map((event) => {
    const data = JSON.parse(event.data);
    expect(data.type).toBe(event.event);
    return data;
  });
}

/** What holds for any stream: one block open at a time, ascending indexes, each one closed. */
function expectOrderly(events: Json[]): void {
  expect(events[0]?.type).toBe('message_start');
  expect(events.at(-1)?.type).toBe('message_stop');
  let open: number | undefined;
  let next = 0;
  for (const event of events) {
    if (event.type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(event.index).toBe(next);
      open = next++;
    } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
    else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open);
      open = undefined;
    } else if (event.type === 'message_delta') expect(open).toBeUndefined();
  }
}

/** Arguments of each call, as a client would put them together. */
function calls(events: Json[]): Record<string, string> {
  const out: Record<string, string> = {};
  const ids: Record<number, string> = {};
  for (const event of events) {
    const block = event.content_block as { type: string; id: string } | undefined;
    if (block?.type === 'tool_use') {
      ids[event.index as number] = block.id;
      out[block.id] = '';
    }
    const delta = event.delta as { type?: string; partial_json?: string } | undefined;
    const id = ids[event.index as number];
    if (delta?.type === 'input_json_delta' && id !== undefined) out[id] = `${out[id]}${delta.partial_json}`;
  }
  return out;
}

describe('MessagesStream', () => {
  test('starts with message_start, has ascending indexes, and closes every block', () => {
    const events = render([
      { type: 'start', id: 'x' },
      { type: 'thinking', text: 'hm' },
      { type: 'signature', signature: 'S+/=' },
      { type: 'redacted_thinking', data: 'zz' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'tool_start', index: 0, id: 't0', name: 'f' },
      { type: 'tool_args', index: 0, args: '{"x":1}' },
      { type: 'tool_start', index: 1, id: 't1', name: 'g' },
      { type: 'tool_args', index: 1, args: '{}' },
      { type: 'finish', finish: 'tool_calls' },
      { type: 'usage', usage: { promptTokens: 20, completionTokens: 7, cacheReadTokens: 5 } },
      { type: 'end' },
    ]);
    expectOrderly(events);
    expect(calls(events)).toEqual({ t0: '{"x":1}', t1: '{}' });
    expect(events.find((event) => event.type === 'message_delta')).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 15, cache_read_input_tokens: 5, output_tokens: 7 },
    });
    expect(events.some((event) => event.type === 'ping')).toBe(true);
    expect(JSON.stringify(events)).toContain('{"type":"signature_delta","signature":"S+/="}');
  });

  test('interleaved pieces of calls are complete', () => {
    const events = render([
      { type: 'tool_start', index: 0, id: 'a', name: 'f' },
      { type: 'tool_start', index: 1, id: 'b', name: 'f' },
      { type: 'tool_start', index: 2, id: 'c', name: 'f' },
      { type: 'tool_args', index: 0, args: '{"x"' },
      { type: 'tool_args', index: 1, args: '{"y"' },
      { type: 'tool_args', index: 0, args: ':1}' },
      { type: 'tool_args', index: 2, args: '{"z":3}' },
      { type: 'tool_args', index: 1, args: ':2}' },
      { type: 'finish', finish: 'tool_calls' },
      { type: 'end' },
    ]);
    expectOrderly(events);
    expect(calls(events)).toEqual({ a: '{"x":1}', b: '{"y":2}', c: '{"z":3}' });
    expect(Object.keys(calls(events))).toEqual(['a', 'b', 'c']);
  });

  test('a call without arguments followed by another stays empty', () => {
    const events = render([
      { type: 'tool_start', index: 0, id: 'a', name: 'f' },
      { type: 'tool_start', index: 1, id: 'b', name: 'f' },
      { type: 'tool_args', index: 1, args: '{"y":1}' },
      { type: 'finish', finish: 'tool_calls' },
      { type: 'end' },
    ]);
    expectOrderly(events);
    expect(calls(events)).toEqual({ a: '', b: '{"y":1}' });
  });

  test('an empty answer is a valid stream, and a stop sequence is named', () => {
    const events = render([{ type: 'finish', finish: 'stop', stopSequence: 'END' }, { type: 'end' }]);
    expectOrderly(events);
    expect(events.find((event) => event.type === 'message_delta')?.delta).toEqual({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });

  test('an error becomes an error event with the request id', () => {
    const text = new MessagesStream(options).fail(new AppError('provider_error', 'Stopped.'));
    expect(text).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Stopped."},"request_id":"req_1"}\n\n',
    );
  });
});

test('missing usage is replaced by the local count', () => {
  const stream = new MessagesStream(options);
  const first = stream.push({ type: 'text', text: 'event: message_delta\n' });
  const last = stream.push({ type: 'finish', finish: 'length' }) + stream.push({ type: 'end' });
  const text = first + stream.withUsage(last, { promptTokens: 7, completionTokens: 4 });
  const events = new SseParser().push(new TextEncoder().encode(text)).map(({ data }) => JSON.parse(data) as Json);
  expectOrderly(events);
  expect(events.filter(({ type }) => type === 'message_delta')).toMatchObject([
    { delta: { stop_reason: 'max_tokens' }, usage: { input_tokens: 7, output_tokens: 4 } },
  ]);
});
