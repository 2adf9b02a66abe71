import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isHeavy, refuseHeavy } from './json-shape.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const refusal = async (text: string): Promise<string | null> =>
  refuseHeavy(bytes(text)).then(
    () => null,
    (error: Error) => error.message,
  );

test('ordinary bodies of any size pass', async () => {
  const picture = `data:image/png;base64,${'iVBORw0KGgo/+'.repeat(500_000)}`;
  const code = 'if (a === "b") {\n\treturn { a: [1, 2], b: "\\\\" };\n}\n'.repeat(20_000);
  const messages = Array.from({ length: 2_000 }, (_, i) => ({
    role: 'user',
    content: [{ type: 'text', text: `message ${i}, with: [brackets] and "quotes"` }],
  }));
  expect(await refusal(JSON.stringify({ messages, picture, code }, null, 2))).toBeNull();
  expect(await refusal(JSON.stringify(Array.from({ length: 290_000 }, (_, i) => i)))).toBeNull();
});

test.each([
  ['nested deeper', '['.repeat(300_000)],
  ['nested deeper', '{"a":'.repeat(1_000)],
  ['values', `[${'[],'.repeat(400_000)}[]]`],
  ['values', `[${'1,'.repeat(400_000)}1]`],
  ['members', `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}}`],
  ['escapes', `["${'\\n'.repeat(600_000)}"]`],
  ['escapes', `["${'\\"'.repeat(600_000)}"]`],
  ['outside of strings', `[${' '.repeat(4_000_000)}]`],
  ['outside of strings', `[${'9'.repeat(4_000_000)}]`],
])('too much of one kind is rejected: %s', async (what, text) => {
  expect(await refusal(text)).toContain(what);
});

test('the content of strings is not taken for structure', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 4 }), fc.nat(600), async (json, pad) => {
      const nasty = `${'x'.repeat(pad)}\\"[[[{{{,,,:::${'y'.repeat(pad)}`;
      const many = Array.from({ length: 20 }, () => nasty.repeat(20));
      expect(await refusal(JSON.stringify([JSON.parse(json), many]))).toBeNull();
    }),
    { numRuns: 60 },
  );
});

test('text that is not JSON is left to the parser', async () => {
  for (const text of ['', '"', '"\\', 'nonsense', '"a" "b', ']]]]', `"${'a'.repeat(1_000)}\\`])
    expect(await refusal(text)).toBeNull();
});

describe('JSON within strings', () => {
  const numbers = `[${'1,'.repeat(200_000)}1]`;

  test.each([
    ['many numbers', [` ${`[${'1,'.repeat(400_000)}1]`}`]],
    ['many objects', [`{"a":[${'{},'.repeat(400_000)}{}]}`]],
    ['deep arrays', ['['.repeat(100_000)]],
    ['one long number', [`[${'9'.repeat(4_000_000)}]`]],
    ['many numbers in all', [numbers, numbers]],
  ])('takes long: %s', (_, texts) => expect(isHeavy(texts)).toBe(true));

  test.each([
    ['nothing', []],
    ['fewer numbers', [numbers]],
    ['a long text', [JSON.stringify({ path: 'a.ts', content: 'const a = [1, 2];\n'.repeat(200_000) })]],
    ['what is no JSON', ['1, 2, 3, '.repeat(1_000_000)]],
    ['deep arrays of several', ['[[[[]]]]'.repeat(1), '['.repeat(150), '['.repeat(150)]],
  ])('takes no time: %s', (_, texts) => expect(isHeavy(texts)).toBe(false));
});
