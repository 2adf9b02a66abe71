import { expect, test } from 'bun:test';
import { loadTokens } from '../lib/tokens.ts';
import { OutputCounter } from './output-counter.ts';

test('the count does not depend on how the text is split', async () => {
  const { count } = await loadTokens();
  const text = 'Wörter, слова and 言葉 — 🎉🎉 make a sentence that is counted. '.repeat(1_000);
  const counter = new OutputCounter();
  for (let at = 0; at < text.length; at += 7) counter.add(text.slice(at, at + 7));
  const exact = await count(text);
  // A piece ends where the buffer does, which may part a token; a code point may be parted by the slices above.
  expect(Math.abs((await counter.count()) - exact)).toBeLessThan(exact * 0.2);
  const words = new OutputCounter();
  for (const word of text.match(/\S+\s*/gu)!) words.add(word);
  expect(Math.abs((await words.count()) - exact)).toBeLessThan(20);
});

test('a piece larger than the buffer is counted', async () => {
  const { count } = await loadTokens();
  const text = 'many words in one piece. '.repeat(5_000);
  const counter = new OutputCounter();
  counter.add('before ');
  counter.add(text);
  counter.add(' after');
  expect(Math.abs((await counter.count()) - (await count(text)) - 2)).toBeLessThan(4);
});

test('a rough count is available immediately', () => {
  const counter = new OutputCounter();
  expect(counter.roughly()).toBe(0);
  counter.add('x'.repeat(400));
  expect(counter.roughly()).toBe(100);
});
