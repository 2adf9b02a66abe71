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

describe('a plain piece of text', () => {
  test('is recognised and read, whatever it says, and passes with its model renamed', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const plain = new PlainPieces('public/name');
        for (const text of pieces) {
          const bytes = chunk({ content: text });
          expect(isPlainDelta(bytes)).toBe(true);
          const read = plain.read(bytes)!;
          expect(JSON.parse(`"${decode(read.text)}"`)).toBe(text);
          expect(decode(read.frame)).toBe(decode(bytes).replace('"model":"m"', '"model":"public/name"'));
        }
      }),
    );
  });

  test('is told from what only looks like one', () => {
    const plain = new PlainPieces('m');
    expect(plain.read(chunk({ content: 'first' }))).not.toBeNull();
    expect(plain.read(chunk({ content: 'last' }, {}, 'stop'))).toBeNull();
    expect(plain.read(chunk({ content: 'x' }, { usage: { prompt_tokens: 1 } }))).toBeNull();
    expect(plain.read(chunk({ content: 'x', tool_calls: [] }))).toBeNull();
    expect(plain.read(chunk({ content: 'again' }))).not.toBeNull();
    expect(decode(plain.read(chunk({ content: 'other id' }, { id: 'd' }))!.text)).toBe('other id');
  });

  test('may speak of usage and errors in its text', () => {
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
  ['the end mark', new TextEncoder().encode('data: [DONE]\n\n')],
  ['a comment', new TextEncoder().encode(': ping\n\n')],
  [
    'a named event',
    new TextEncoder().encode(`event: x\ndata: {"choices":[{"delta":{"content":"x"},"finish_reason":null}]}\n\n`),
  ],
])('%s is looked at', (_, bytes) => {
  expect(isPlainDelta(bytes)).toBe(false);
});
