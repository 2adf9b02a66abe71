import { describe, expect, test } from 'bun:test';
import { placed } from './endpoints/embeddings.ts';
import { providerKinds } from './providers/index.ts';
import type { Delta, Json, WireFormat } from './wire/conversation.ts';
import { normalizeRerank } from './wire/rerank.ts';

/** What upstreams say of places and counts names things, and is never how many there are. */
const numbers = [200_000_000, 4_294_967_294, 2 ** 53, 1e308, -1, 1.5];

const indexesOf = (deltas: Delta[]): number[] =>
  deltas.flatMap((delta) => (delta.type === 'tool_start' || delta.type === 'tool_args' ? [delta.index] : []));

describe.each(numbers)('index %p in an upstream answer', (number) => {
  const openai = (index: unknown, fields: Json): Json => ({
    choices: [{ delta: { tool_calls: [{ index, ...fields }] } }],
  });
  const streams: Partial<Record<WireFormat, Json[]>> = {
    chat: [
      openai(number, { id: 'a', function: { name: 'one', arguments: '{"x":' } }),
      openai(7, { id: 'b', function: { name: 'two', arguments: '{}' } }),
      openai(number, { function: { arguments: '1}' } }),
    ],
    messages: [
      { type: 'content_block_start', index: number, content_block: { type: 'tool_use', id: 'a', name: 'one' } },
      { type: 'content_block_delta', index: number, delta: { type: 'input_json_delta', partial_json: '{"x":' } },
      { type: 'content_block_start', index: 7, content_block: { type: 'tool_use', id: 'b', name: 'two' } },
      { type: 'content_block_delta', index: 7, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_delta', index: number, delta: { type: 'input_json_delta', partial_json: '1}' } },
    ],
    gemini: [
      { candidates: [{ index: number, content: { parts: [{ functionCall: { name: 'one', args: { x: 1 } } }] } }] },
      { candidates: [{ index: number, content: { parts: [{ functionCall: { name: 'two', args: {} } }] } }] },
      // Another candidate, of which no more is read than that it is there.
      { candidates: [{ index: 7, content: { parts: [{ functionCall: { name: 'three', args: {} } }] } }] },
    ],
  };

  test.each(Object.keys(providerKinds))('a tool call in a stream of %s is numbered by position', (kind) => {
    const { wire, decoder } = providerKinds[kind]!;
    const indexes = indexesOf(streams[wire]!.flatMap(decoder()));
    expect(new Set(indexes)).toEqual(new Set([0, 1]));
    expect(indexes[0]).toBe(0);
  });

  test('a rerank index does not allocate a large array', () => {
    const { body } = normalizeRerank({ results: [{ index: number, relevance_score: 1 }] }, { documents: ['a'] });
    expect((body.results as unknown[]).length).toBe(1);
  });

  test('an embedding of an input that was not sent is rejected', () => {
    expect(() => placed([{ index: number, embedding: [1] }], 1)).toThrow('not sent');
  });
});

test('embeddings are in the order of their inputs, also without an index', () => {
  const [one, two] = [[1], [2]];
  const inOrder = [
    { embedding: one, index: 0 },
    { embedding: two, index: 1 },
  ];
  expect(placed([{ embedding: one }, { embedding: two, index: 1 }], 2)).toEqual(inOrder);
  expect(placed(inOrder.toReversed(), 2)).toEqual(inOrder);
  expect(() => placed([{}], 2)).toThrow('1 embeddings for 2 inputs');
  expect(() => placed(['x'], 1)).toThrow('not sent');
  expect(() => placed([inOrder[0], inOrder[0]], 2)).toThrow('twice');
});

test('what is no vector is rejected', () => {
  for (const embedding of [undefined, null, [], '', {}, [[1, 2]], [null]])
    expect(() => placed([{ index: 0, embedding }], 1)).toThrow('no vector');
});
