import { describe, expect, test } from 'bun:test';
import { geminiDecoder } from '../../providers/gemini/answer.ts';
import type { Json } from '../conversation.ts';
import { RelayStream } from '../relay-stream.ts';
import { JsonArray } from './json-array.ts';

const decoder = new TextDecoder();
const open = () =>
  new RelayStream({
    client: 'gemini',
    upstream: 'gemini',
    decode: geminiDecoder(),
    model: 'public/name',
    id: 'a',
    created: 1,
    includeUsage: true,
  });
const frame = (json: Json): string => `data: ${JSON.stringify(json)}\r\n\r\n`;
const piece = (parts: unknown[], more = {}): Json => ({
  candidates: [{ content: { parts }, index: 0, ...more }],
  modelVersion: 'up',
});
const push = (stream: RelayStream, text: string): string =>
  decoder.decode(stream.push(new TextEncoder().encode(text)) ?? undefined);

describe('Gemini upstream, Gemini client', () => {
  test('events are forwarded byte for byte except for the model name', () => {
    const given = frame(piece([{ text: 'modelVersion' }]));
    expect(push(open(), given)).toBe(given.replace('"up"', '"public/name"'));
  });

  test('a field of that name in call arguments is not changed', () => {
    const parts = [{ functionCall: { name: 'f', args: { modelVersion: 'mine' } } }];
    const out = JSON.parse(push(open(), frame(piece(parts))).slice('data: '.length));
    expect(out).toEqual({ ...piece(parts), modelVersion: 'public/name' });
  });

  test('a possibly last event waits for the next one or the end, since answers are charged before they are complete', () => {
    const stream = open();
    const ended = frame(piece([{ text: 'b' }], { finishReason: 'STOP' }));
    expect(push(stream, frame(piece([{ text: 'a' }])))).toContain('"a"');
    expect(push(stream, ended)).toBe('');
    // Older models say so in every event.
    expect(push(stream, ended.replace('"b"', '"c"'))).toContain('"b"');
    const { tail, summary } = stream.end();
    expect(decoder.decode(tail!)).toContain('"c"');
    expect(summary.complete).toBe(true);
  });

  test('locally counted usage is added to the last event', () => {
    const stream = open();
    push(stream, frame(piece([{ text: 'a' }], { finishReason: 'STOP' })));
    const last = stream.withUsage(stream.end().tail!, { promptTokens: 2, completionTokens: 3 });
    const { usageMetadata } = JSON.parse(decoder.decode(last).slice('data: '.length));
    expect(usageMetadata).toEqual({ promptTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 5 });
  });

  test('a stream without a finish reason is incomplete', () => {
    const stream = open();
    push(stream, frame(piece([{ text: 'a' }])));
    expect(stream.end()).toMatchObject({ tail: null, summary: { complete: false, hasOutput: true } });
  });
});

test('events become array elements and comments whitespace, however they are split', () => {
  const text = ': ping\n\ndata: {"a":"ü"}\n\n: ping\n\ndata: {"b":2}\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at++) {
    const array = new JsonArray();
    const out = array.push(bytes.subarray(0, at)) + array.push(bytes.subarray(at)) + array.end();
    expect(JSON.parse(out)).toEqual([{ a: 'ü' }, { b: 2 }]);
  }
  expect(JSON.parse(new JsonArray().end())).toEqual([]);
});
