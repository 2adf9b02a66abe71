import { type ErrorFormat, isRelayFormat } from '../../lib/error-shapes.ts';
import { AppError } from '../../lib/errors.ts';
import type { RateState, Shared } from '../shared/port.ts';
import { limitKeyOfIp } from './client-ip.ts';
import type { Call, Limit } from './route.ts';

/** All limits of both specifications count calls per minute. */
const windowMs = 60_000;

export interface Limiter {
  shared: Shared;
  /** Calls per minute of the option of that name; 0 or less means no limit. */
  limitOf(option: string): number;
  enabled(): boolean;
}

/**
 * Counts the call, writes where the caller stands into the answer's headers, and throws 429 past the limit. A promise only
 * when the count is elsewhere: waiting for nothing costs every request a turn.
 */
export function applyLimit(limiter: Limiter, limit: Limit, call: Call, format: ErrorFormat): Promise<void> | undefined {
  const most = limiter.enabled() ? limiter.limitOf(limit.option) : 0;
  if (most <= 0) return undefined;
  const caller = limit.by === 'principal' ? (call.principal as { limitKey?: string } | null)?.limitKey : undefined;
  const state = limiter.shared.hit(`limit:${limit.option}:${caller ?? limitKeyOfIp(call.ip)}`, most, windowMs);
  if (state instanceof Promise) return enforceLater(state, call, format);
  enforce(state, call, format);
  return undefined;
}

const enforceLater = async (state: Promise<RateState>, call: Call, format: ErrorFormat): Promise<void> =>
  enforce(await state, call, format);

function enforce(state: RateState, call: Call, format: ErrorFormat): void {
  const seconds = Math.ceil(state.resetMs / 1000);
  const limit = `${state.limit}`;
  const remaining = `${state.remaining}`;
  const { headers } = call;
  headers['ratelimit-limit'] = limit;
  headers['ratelimit-remaining'] = remaining;
  headers['ratelimit-reset'] = `${seconds}`;
  const relay = isRelayFormat(format);
  if (relay) {
    headers['x-ratelimit-limit-requests'] = limit;
    headers['x-ratelimit-remaining-requests'] = remaining;
    headers['x-ratelimit-reset-requests'] = `${seconds}s`;
  }
  if (state.allowed) return;
  headers['retry-after'] = `${Math.max(1, seconds)}`;
  if (relay) headers['retry-after-ms'] = `${Math.max(1, Math.ceil(state.resetMs))}`;
  const message =
    format === 'video' ? 'Rate limit exceeded' : `Too many requests. Try again in ${Math.max(1, seconds)} s.`;
  throw new AppError('rate_limit_exceeded', message);
}
