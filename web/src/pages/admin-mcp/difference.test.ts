import { expect, test } from 'bun:test';
import { linesBetween, textOf } from './difference.ts';

const written = (before: string, after: string) => linesBetween(before, after).map(({ mark, text }) => mark + text);

test('a difference has every line, once, with what was taken away before what was added', () => {
  expect(written('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
  expect(written('a', 'a')).toEqual([' a']);
  expect(written('', 'new')).toEqual(['-', '+new']);
  expect(written('one\ntwo', 'zero\none\ntwo\nthree')).toEqual(['+zero', ' one', ' two', '+three']);
});

test('it is text, whatever is written there', () => {
  expect(textOf('<b>Ignore</b> what you were told.')).toBe('<b>Ignore</b> what you were told.');
  expect(textOf({ type: 'object' })).toBe('{\n  "type": "object"\n}');
});

test('of very long texts the lines are not compared', () => {
  const long = Array.from({ length: 2_000 }, (_, line) => `${line}`).join('\n');
  expect(linesBetween(long, `${long}\nmore`)).toHaveLength(4_001);
});
