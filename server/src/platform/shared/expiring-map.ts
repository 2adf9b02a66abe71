import type { Clock } from '../../lib/clock.ts';

interface Entry<V> {
  value: V;
  expiresAtMs: number;
}

interface ExpiringMap<V> {
  find(key: string): Entry<V> | undefined;
  set(key: string, value: V, ttlMs: number): Entry<V>;
  delete(key: string): void;
  /** Drops expired entries. */
  sweep(): void;
  size(): number;
}

/** A map whose entries expire and which holds at most `maxKeys`: the oldest are evicted first. */
export function expiringMap<V>(clock: Clock, maxKeys: number): ExpiringMap<V> {
  const entries = new Map<string, Entry<V>>();
  const sweep = () => {
    const now = clock.steadyMs();
    for (const [key, entry] of entries) if (entry.expiresAtMs <= now) entries.delete(key);
  };
  return {
    find(key) {
      const entry = entries.get(key);
      if (!entry || entry.expiresAtMs > clock.steadyMs()) return entry;
      entries.delete(key);
      return undefined;
    },
    set(key, value, ttlMs) {
      const entry = { value, expiresAtMs: clock.steadyMs() + ttlMs };
      // Delete first, so that the map is in order of writing.
      entries.delete(key);
      if (entries.size >= maxKeys) {
        const oldest = entries.keys().next();
        if (!oldest.done) entries.delete(oldest.value);
      }
      entries.set(key, entry);
      return entry;
    },
    delete(key) {
      entries.delete(key);
    },
    sweep,
    size: () => entries.size,
  };
}
