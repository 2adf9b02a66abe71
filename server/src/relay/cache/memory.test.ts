import { expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { BoundedTexts } from './memory.ts';

const tenBytes = 'abcd';

test('what was not asked for longest goes first', () => {
  const texts = new BoundedTexts(manualClock(), () => 30);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  expect(texts.bytes).toBe(30);
  expect(texts.get('1')).toBe(tenBytes);
  texts.set('4', tenBytes, 1_000);
  expect(['1', '2', '3', '4'].filter((name) => texts.get(name) !== null)).toEqual(['1', '3', '4']);
  expect(texts.bytes).toBe(30);
});

test('a text is gone when its time is over, and takes no room then', () => {
  const clock = manualClock();
  const texts = new BoundedTexts(clock, () => 30);
  texts.set('1', tenBytes, 1_000);
  clock.advance(999);
  expect(texts.get('1')).toBe(tenBytes);
  clock.advance(1);
  expect(texts.get('1')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('what is larger than all that may be kept is not, nor what it was to replace', () => {
  const texts = new BoundedTexts(manualClock(), () => 30);
  texts.set('1', tenBytes, 1_000);
  texts.set('1', tenBytes.repeat(10), 1_000);
  expect(texts.get('1')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('less room than before is kept to when something is looked for', () => {
  let most = 30;
  const texts = new BoundedTexts(manualClock(), () => most);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  most = 0;
  expect(texts.get('3')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('less room than before is kept to at the next text', () => {
  let most = 30;
  const texts = new BoundedTexts(manualClock(), () => most);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  most = 10;
  texts.set('4', tenBytes, 1_000);
  expect(texts.bytes).toBe(10);
  expect(texts.get('4')).toBe(tenBytes);
});
