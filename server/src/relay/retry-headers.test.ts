import { describe, expect, test } from 'bun:test';
import { retryAfterOf, retryHeaders } from './retry-headers.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after-ms': '2500', 'retry-after': '3' }, 2_500],
  [{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  // No limit lasts longer than a day.
  ...['99999999999', '1e308', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'].map(
    (far): [Record<string, string>, number] => [{ 'retry-after': far }, 86_400_000],
  ),
  [{ 'retry-after-ms': '1e15' }, 86_400_000],
])('%j means a wait of %p', (headers, wait) => {
  expect(retryAfterOf(headers, nowMs)).toBe(wait!);
});

describe('retry headers after every provider refused', () => {
  test('give the shortest wait', () => {
    const refusals: Record<string, string>[] = [
      { 'retry-after': '60' },
      { 'retry-after': '2', 'x-should-retry': 'true' },
      {},
    ];
    expect(retryHeaders(refusals, nowMs)).toEqual({
      'retry-after': '2',
      'retry-after-ms': '2000',
      'x-should-retry': 'true',
    });
  });

  test('are sent in seconds and milliseconds, whatever the upstream sent', () => {
    expect(retryHeaders([{ 'retry-after-ms': '1500' }], nowMs)).toEqual({
      'retry-after': '2',
      'retry-after-ms': '1500',
    });
    const usual = { 'retry-after': '5', 'retry-after-ms': '5000' };
    expect(retryHeaders([{}], nowMs)).toEqual(usual);
    expect(retryHeaders([{ 'x-should-retry': 'false' }], nowMs)).toEqual({ ...usual, 'x-should-retry': 'false' });
    expect(retryHeaders([{ 'retry-after': 'soon' }], nowMs)).toEqual(usual);
    expect(retryHeaders([{ 'retry-after': '99999999999' }], nowMs)).toEqual({
      'retry-after': '86400',
      'retry-after-ms': '86400000',
    });
    expect(retryHeaders([{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }], nowMs)).toEqual({
      'retry-after': '30',
      'retry-after-ms': '30000',
    });
  });
});
