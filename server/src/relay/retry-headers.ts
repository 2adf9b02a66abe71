import { mostWaitMs } from '../lib/bounded-wait.ts';

type Headers = Readonly<Record<string, string>>;

/** As the upstream says it, in milliseconds, seconds or as a date (RFC 9110 §10.2.3); undefined if it does not. */
export function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': given } = headers;
  const told = [ms && Number(ms), given && Number(given) * 1_000, given && Date.parse(given) - nowMs];
  const wait = told.find((one) => typeof one === 'number' && !Number.isNaN(one) && one >= 0) as number | undefined;
  return wait === undefined ? undefined : Math.min(wait, mostWaitMs);
}

/** Default wait: most limits are per minute and refill gradually. */
const usualWaitMs = 5_000;

/** Headers for a request that every upstream rate-limited: when the first of them accepts requests again. */
export function retryHeaders(refusals: readonly Headers[], nowMs: number): Record<string, string> {
  const told = refusals.map((headers) => ({ headers, wait: retryAfterOf(headers, nowMs) ?? usualWaitMs }));
  const soonest = Math.min(...told.map(({ wait }) => wait));
  const first = told.find(({ wait }) => wait === soonest);
  return {
    ...first?.headers,
    'retry-after': `${Math.ceil(soonest / 1_000)}`,
    'retry-after-ms': `${Math.ceil(soonest)}`,
  };
}
