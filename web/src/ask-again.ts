import { focusManager, type Query, QueryCache } from '@tanstack/react-query';
import { ApiError } from './api.ts';

/** No answer, too many questions, or a service that is being started anew: all of it passes. */
const passing = new Set([0, 429, 502, 503, 504]);
const firstMs = 5_000;
const mostDoublings = 4;

/** How long until what failed is asked for again without anybody's doing; null where the answer would be the same. */
export function waitMs(error: unknown, failuresBefore: number): number | null {
  if (!(error instanceof ApiError) || !passing.has(error.status)) return null;
  return Math.max(error.retryAfterMs, firstMs * 2 ** Math.min(failuresBefore, mostDoublings));
}

const timers = new WeakMap<object, ReturnType<typeof setTimeout>>();

/** What is in sight and failed for a while only comes by itself: nobody has to stay and press a button. */
function askAgain(error: unknown, query: Query<unknown, unknown>): void {
  clearTimeout(timers.get(query));
  const wait = waitMs(error, query.state.errorUpdateCount - 1);
  if (wait === null || query.options.retry === false) return;
  const ask = () => {
    // A tab that nobody looks at asks when somebody does.
    if (query.isActive() && query.state.status === 'error' && focusManager.isFocused()) query.fetch().catch(() => {});
  };
  timers.set(query, setTimeout(ask, wait));
}

export const askingAgain = (): QueryCache => new QueryCache({ onError: askAgain });
