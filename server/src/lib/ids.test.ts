import { expect, setSystemTime, test } from 'bun:test';
import { randomString, requestId, timedHex, timedString, timeIn } from './ids.ts';

test('random strings have the given length, only letters and digits, and never repeat', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 5_000; i += 1) {
    const text = randomString(40);
    expect(text).toMatch(/^[0-9A-Za-z]{40}$/);
    seen.add(text);
  }
  expect(seen.size).toBe(5_000);
});

test('every character is about equally likely', () => {
  const counts = new Map<string, number>();
  for (const letter of randomString(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1,000 expected each; seven standard deviations are 220.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(220);
});

test('timed strings sort in the order of creation and have one length', () => {
  const drawn = [1, 1_000, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000].map((ms) => {
    setSystemTime(new Date(ms));
    return timedString(32);
  });
  setSystemTime();
  expect(drawn.toSorted()).toEqual(drawn);
  for (const text of drawn) expect(text).toMatch(/^[0-9A-Za-z]{32}$/);
  // Those of one moment share no more than the time.
  expect(new Set(Array.from({ length: 5_000 }, () => timedString(32).slice(9))).size).toBe(5_000);
});

test('request ids are unique', () => {
  expect(new Set(Array.from({ length: 10_000 }, requestId)).size).toBe(10_000);
});

test('ids of the same time sort in the order of creation', () => {
  const names = Array.from({ length: 1_000 }, () => timedHex(5, 32));
  expect(names.toSorted()).toEqual(names);
  expect(new Set(names.map((name) => name.length))).toEqual(new Set([32]));
});

test('the creation time is read from a timed id, and from no other id', () => {
  const now = Date.UTC(2030, 5);
  expect(timeIn(timedHex(now, 24), now)).toBe(now);
  expect(timeIn(`${timedHex(now, 32)}-output`, now + 1)).toBe(now);
  for (const name of [
    timedHex(now + 1, 24),
    timedHex(Date.UTC(2025, 0), 24),
    'f'.repeat(24),
    timedHex(now, 20),
    'none',
    '',
  ])
    expect(timeIn(name, now)).toBeNull();
});
