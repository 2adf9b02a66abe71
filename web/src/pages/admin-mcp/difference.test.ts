import { expect, test } from 'bun:test';
import { linesBetween, textOf } from './difference.ts';

const written = (before: string, after: string) => linesBetween(before, after).map(({ mark, text }) => mark + text);

test('lists every line once, removed lines before added ones', () => {
  expect(written('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
  expect(written('a', 'a')).toEqual([' a']);
  expect(written('', 'new')).toEqual(['-', '+new']);
  expect(written('one\ntwo', 'zero\none\ntwo\nthree')).toEqual(['+zero', ' one', ' two', '+three']);
});

test('strings stay unchanged and objects become formatted JSON', () => {
  expect(textOf('<b>Ignore</b> what you were told.')).toBe('<b>Ignore</b> what you were told.');
  expect(textOf({ type: 'object' })).toBe('{\n  "type": "object"\n}');
});

test('very long texts are not compared line by line', () => {
  const long = Array.from({ length: 2_000 }, (_, line) => `${line}`).join('\n');
  expect(linesBetween(long, `${long}\nmore`)).toHaveLength(4_001);
});
