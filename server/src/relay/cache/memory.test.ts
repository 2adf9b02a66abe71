import { expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { BoundedTexts } from './memory.ts';

const tenBytes = 'abcd';

test('the least recently used entry is evicted first', () => {
  const texts = new BoundedTexts(manualClock(), () => 30);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  expect(texts.bytes).toBe(30);
  expect(texts.get('1')).toBe(tenBytes);
  texts.set('4', tenBytes, 1_000);
  expect(['1', '2', '3', '4'].filter((name) => texts.get(name) !== null)).toEqual(['1', '3', '4']);
  expect(texts.bytes).toBe(30);
});

test('an expired entry is removed and frees its space', () => {
  const clock = manualClock();
  const texts = new BoundedTexts(clock, () => 30);
  texts.set('1', tenBytes, 1_000);
  clock.advance(999);
  expect(texts.get('1')).toBe(tenBytes);
  clock.advance(1);
  expect(texts.get('1')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('an entry larger than the cache is not stored and removes the one it replaces', () => {
  const texts = new BoundedTexts(manualClock(), () => 30);
  texts.set('1', tenBytes, 1_000);
  texts.set('1', tenBytes.repeat(10), 1_000);
  expect(texts.get('1')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('a lowered limit applies at the next read', () => {
  let most = 30;
  const texts = new BoundedTexts(manualClock(), () => most);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  most = 0;
  expect(texts.get('3')).toBeNull();
  expect(texts.bytes).toBe(0);
});

test('a lowered limit applies at the next write', () => {
  let most = 30;
  const texts = new BoundedTexts(manualClock(), () => most);
  for (const name of ['1', '2', '3']) texts.set(name, tenBytes, 1_000);
  most = 10;
  texts.set('4', tenBytes, 1_000);
  expect(texts.bytes).toBe(10);
  expect(texts.get('4')).toBe(tenBytes);
});
