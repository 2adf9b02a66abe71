import { expect, test } from 'bun:test';
import { stringifyYielding } from './stringify-yielding.ts';
import { turnsDuring } from './turns-during.fixture.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => Math.sin(i));

const values: Record<string, unknown> = {
  'a text': 'é "quoted"',
  'nothing much': { a: [], b: {}, c: null, d: undefined, e: [undefined, null, true] },
  'one long vector': { data: [{ index: 0, embedding: numbers(10_000) }] },
  'vectors whose length is that of a run': [numbers(4_096), numbers(8_192)],
  'vectors of others': { embeddings: { float: [numbers(9), numbers(9)], base64: ['AAAA'] }, texts: ['漢', '\u2028'] },
  'numbers that JSON has not': [1, Number.NaN, Number.POSITIVE_INFINITY],
  'more than numbers': [1, 'two', { three: [3] }],
  deep: [[[[[[[[[[{ a: [1] }]]]]]]]]]],
};

test.each(Object.entries(values))('writes like JSON.stringify: %s', async (_, value) => {
  expect(await (await stringifyYielding(value)).text()).toBe(JSON.stringify(value));
});

test('writing yields to other work', async () => {
  const vector = numbers(1_000);
  const value = { data: Array.from({ length: 2_000 }, (_, index) => ({ index, embedding: vector })) };
  expect(await turnsDuring(() => stringifyYielding(value))).toBeGreaterThan(5);
});
