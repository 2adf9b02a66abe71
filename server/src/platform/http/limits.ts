import { type ErrorFormat, isRelayFormat } from '../../lib/error-shapes.ts';
import { AppError } from '../../lib/errors.ts';
import type { RateState, Shared } from '../shared/port.ts';
import { limitKeyOfIp } from './client-ip.ts';
import type { Call, Limit } from './route.ts';

/** All limits are per minute. */
const windowMs = 60_000;

export interface Limiter {
  shared: Shared;
  /** The value of the option with that name; 0 or less means no limit. */
  limitOf(option: string): number;
  enabled(): boolean;
}

/**
 * Counts the call, sets the rate-limit headers, and throws 429 above the limit. Returns a promise only if the counter
 * is remote: awaiting a plain value would cost every request a microtask turn.
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
