import { expect, test } from 'bun:test';
import { ApiError } from './api.ts';
import { retryDelayMs } from './retry-queries.ts';

const refusal = (status: number, retryAfterMs = 0) => new ApiError(status, 'No.', null, undefined, retryAfterMs);

test.each<[unknown, number, number | null]>([
  [refusal(429, 7_000), 0, 7_000],
  [refusal(429, 7_000), 1, 10_000],
  [refusal(429, 0), 0, 5_000],
  [refusal(503), 0, 5_000],
  [refusal(0), 2, 20_000],
  [refusal(502), 4, 80_000],
  [refusal(504), 40, 80_000],
  [refusal(500), 0, null],
  [refusal(404), 0, null],
  [new Error('of the page itself'), 0, null],
])('wait before a retry: %p after %p failures', (error, failures, wait) => {
  expect(retryDelayMs(error, failures)).toBe(wait);
});
