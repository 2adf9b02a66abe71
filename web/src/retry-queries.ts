import { focusManager, type Query, QueryCache } from '@tanstack/react-query';
import { ApiError } from './api.ts';

/** Transient failures: no response, rate limited, or the service is restarting. */
const passing = new Set([0, 429, 502, 503, 504]);
const firstMs = 5_000;
const mostDoublings = 4;

/** Delay before a failed query is retried automatically; null if the failure is permanent. */
export function retryDelayMs(error: unknown, failuresBefore: number): number | null {
  if (!(error instanceof ApiError) || !passing.has(error.status)) return null;
  return Math.max(error.retryAfterMs, firstMs * 2 ** Math.min(failuresBefore, mostDoublings));
}

const timers = new WeakMap<object, ReturnType<typeof setTimeout>>();

/** Retries visible queries after a transient failure, so that the user does not have to press a button. */
function askAgain(error: unknown, query: Query<unknown, unknown>): void {
  clearTimeout(timers.get(query));
  const wait = retryDelayMs(error, query.state.errorUpdateCount - 1);
  if (wait === null || query.options.retry === false) return;
  const ask = () => {
    // A hidden tab refetches when it gets focus again.
    if (query.isActive() && query.state.status === 'error' && focusManager.isFocused()) query.fetch().catch(() => {});
  };
  timers.set(query, setTimeout(ask, wait));
}

export const retryingQueryCache = (): QueryCache => new QueryCache({ onError: askAgain });
