import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { CachedLookup, type LookupOptions } from '../platform/shared/cached-lookup.ts';
import type { Shared } from '../platform/shared/port.ts';

const channel = 'identity';

/** Invalidates cached users, sessions and keys in all processes. Tags: `user:7`, `session:3`, `key:5`, `factors:7`. */
export interface Announcements {
  changed(tag: string): Promise<void>;
  onChanged(listener: (tag: string) => void, onGap: () => void): void;
  close(): Promise<void>;
}

export async function openAnnouncements(shared: Shared, cacheSync: Pick<CacheSync, 'onGap'>): Promise<Announcements> {
  const listeners: { heard: (tag: string) => void; gap: () => void }[] = [];
  const hear = (tag: string) => {
    for (const listener of listeners) listener.heard(tag);
  };
  const gap = () => {
    for (const listener of listeners) listener.gap();
  };
  const unsubscribe = await shared.subscribe(channel, hear, gap);
  cacheSync.onGap(gap);
  return {
    changed: async (tag) => {
      // Applied here at once, whatever happens to the message; while messages may be lost, other processes trust their
      // caches for a second only.
      hear(tag);
      await shared.publish(channel, tag).catch(() => {});
    },
    onChanged: (heard, gap) => {
      listeners.push({ heard, gap });
    },
    close: unsubscribe,
  };
}

/** A cache invalidated by announcements; cleared if some may have been missed. */
export function invalidatedLookup<V>({
  announcements,
  ...options
}: LookupOptions<V> & { announcements: Pick<Announcements, 'onChanged'> }): CachedLookup<V> {
  const lookup = new CachedLookup<V>(options);
  announcements.onChanged(
    (tag) => lookup.invalidate(tag),
    () => lookup.clear(),
  );
  return lookup;
}
