import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isPlainDelta, PlainPieces } from './plain-delta.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const frame = (value: unknown): Uint8Array => new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`);
const chunk = (delta: object, more: object = {}, finish: string | null = null) =>
  frame({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });

function reader(model: string): { plain: PlainPieces; said: string[] } {
  const said: string[] = [];
  const plain = new PlainPieces(model, (bytes, from, to) => {
    said.push(JSON.parse(`"${decode(bytes.subarray(from, to))}"`));
  });
  return { plain, said };
}

const lineEnds = /[\u0085\u2028\u2029]/g;

describe('a plain text delta', () => {
  test('is recognised with any text and forwarded with its model renamed', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map((given) => given.replace(lineEnds, '-'));
    const texts = fc.array(text, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const { plain, said } = reader('public/name');
        for (const [index, text] of pieces.entries()) {
          const bytes = chunk({ content: text });
          expect(isPlainDelta(bytes)).toBe(true);
          const passed = index === 0 ? plain.learn(bytes) : plain.pass(bytes);
          expect(said.at(-1)).toBe(text);
          expect(decode(passed!)).toBe(decode(bytes).replace('"model":"m"', () => '"model":"public/name"'));
        }
        expect(said).toEqual(pieces);
      }),
    );
  });

  test('is not passed on with a letter that ends a line for some readers, wherever it stands', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 5 });
    const end = fc.constantFrom('\u0085', '\u2028', '\u2029');
    fc.assert(
      fc.property(text, end, text, (before, letter, after) => {
        const { plain, said } = reader('public/name');
        const bytes = chunk({ content: before + letter + after });
        expect(plain.learn(bytes)).toBeFalsy();
        plain.learn(chunk({ content: 'first' }));
        expect(plain.pass(bytes)).toBeNull();
        expect(said).toEqual(['first']);
      }),
    );
  });

  test('is found anywhere in a chunk', () => {
    const { plain, said } = reader('public/name');
    plain.learn(chunk({ content: 'first' }));
    const long = 'a long one '.repeat(100);
    const bytes = Buffer.concat([chunk({ content: 'second' }), chunk({ content: long }), chunk({}, {}, 'stop')]);
    const passed = [plain.pass(bytes), plain.pass(bytes, plain.next)];
    expect(said).toEqual(['first', 'second', long]);
    expect(passed.map((piece) => JSON.parse(decode(piece!).slice(6)).choices[0].delta.content)).toEqual(said.slice(1));
    expect(plain.pass(bytes, plain.next)).toBeNull();
    expect(said).toHaveLength(3);
  });

  test('is forwarded unchanged if the name is the same', () => {
    const { plain } = reader('m');
    const bytes = chunk({ content: 'first' });
    expect(plain.learn(bytes)).toBe(bytes);
    expect(plain.pass(bytes)).toBe(bytes);
  });

  test('is distinguished from similar chunks', () => {
    const { plain, said } = reader('m');
    const read = (bytes: Uint8Array) => plain.pass(bytes) ?? plain.learn(bytes);
    expect(read(chunk({ content: 'first' }))).not.toBeNull();
    expect(read(chunk({ content: 'last' }, {}, 'stop'))).toBeNull();
    expect(read(chunk({ content: 'x' }, { usage: { prompt_tokens: 1 } }))).toBeNull();
    expect(read(chunk({ content: 'x', tool_calls: [] }))).toBeNull();
    expect(read(chunk({ content: '' }))).toBeNull();
    expect(read(chunk({ content: 'again' }))).not.toBeNull();
    expect(read(chunk({ content: 'other id' }, { id: 'd' }))).not.toBeNull();
    expect(said).toEqual(['first', 'again', 'other id']);
  });

  test('that is incomplete or contains a line break is left to the full parser', () => {
    const { plain } = reader('m');
    const bytes = chunk({ content: 'first' });
    plain.learn(bytes);
    for (let length = 0; length < bytes.length; length += 1) expect(plain.pass(bytes.slice(0, length), 0)).toBeNull();
    const text = decode(bytes);
    for (const broken of ['fi\n\nrst', 'fi\\', 'fi"rst'])
      expect(plain.pass(new TextEncoder().encode(text.replace('first', broken)), 0)).toBeNull();
  });

  test('may mention usage and errors in its text', () => {
    expect(isPlainDelta(chunk({ content: '{"usage":{"error":1},"tool_calls":[]}' }))).toBe(true);
  });
});

test.each([
  ['the first chunk', chunk({ role: 'assistant', content: '' })],
  ['an end', chunk({ content: 'x' }, {}, 'stop')],
  ['usage on a normal chunk', chunk({ content: 'x' }, { usage: { prompt_tokens: 1 } })],
  ['a tool call', chunk({ content: 'x', tool_calls: [{ index: 0 }] })],
  ['null tool calls', chunk({ content: 'x', tool_calls: null })],
  ['reasoning', chunk({ content: 'x', reasoning_content: 'y' })],
  ['an error', chunk({ content: 'x' }, { error: { message: 'no' } })],
  ['no choices', frame({ id: 'c', choices: [], content: 'x', finish_reason: null })],
  ['the end marker', new TextEncoder().encode('data: [DONE]\n\n')],
  ['a comment', new TextEncoder().encode(': ping\n\n')],
  [
    'a named event',
    new TextEncoder().encode(`event: x\ndata: {"choices":[{"delta":{"content":"x"},"finish_reason":null}]}\n\n`),
  ],
])('%s is parsed', (_, bytes) => {
  expect(isPlainDelta(bytes)).toBe(false);
});
