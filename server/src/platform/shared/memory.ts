import { type Clock, systemClock } from '../../lib/clock.ts';
import { expiringMap } from './expiring-map.ts';
import type { RateState, Shared } from './port.ts';

/** Callers choose some keys (addresses, user names): without a cap a flood of new ones would exhaust memory. */
const defaultMaxKeys = 100_000;
const sweepEveryMs = 10_000;

interface Count {
  value: number;
}

interface MemoryShared extends Shared {
  readonly kind: 'memory';
  hit(key: string, limit: number, windowMs: number, by?: number): RateState;
  /** Number of entries, for tests and metrics. */
  size(): number;
}

/** Shared state of a single process. */
export function memoryShared(clock: Clock = systemClock, maxKeys = defaultMaxKeys): MemoryShared {
  const windows = expiringMap<Count>(clock, maxKeys);
  const values = expiringMap<string>(clock, maxKeys);
  const maps = [windows, values];
  const channels = new Map<string, Set<(message: string) => void>>();
  const sweeper = setInterval(() => {
    for (const map of maps) map.sweep();
  }, sweepEveryMs);
  sweeper.unref();

  return {
    kind: 'memory',
    hit(key, limit, windowMs, by = 1) {
      const entry = windows.find(key) ?? windows.set(key, { value: 0 }, windowMs);
      entry.value.value += by;
      const count = entry.value.value;
      return rateState(count, limit, entry.expiresAtMs - clock.steadyMs());
    },
    async publish(channel, message) {
      for (const listener of channels.get(channel) ?? []) queueMicrotask(() => listener(message));
    },
    async subscribe(channel, onMessage) {
      // Wrapped, so that subscribing the same function twice gives two subscriptions.
      const listener = (message: string) => onMessage(message);
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel);
      };
    },
    get: async (key) => values.find(key)?.value ?? null,
    async set(key, value, ttlMs) {
      values.set(key, value, ttlMs);
    },
    async delete(key) {
      values.delete(key);
    },
    async increment(key, by, ttlMs) {
      const entry = values.find(key) ?? values.set(key, '0', ttlMs);
      const next = Number(entry.value) + by;
      entry.value = String(next);
      return next;
    },
    fault: () => null,
    healthy: () => true,
    ping: async () => {},
    async close() {
      clearInterval(sweeper);
      channels.clear();
    },
    size: () => maps.reduce((sum, map) => sum + map.size(), 0),
  };
}

/** The state of a rate limit after `count` of a window. */
export const rateState = (count: number, limit: number, resetMs: number): RateState => ({
  allowed: count <= limit,
  limit,
  remaining: Math.max(0, limit - count),
  resetMs: Math.max(0, resetMs),
});
