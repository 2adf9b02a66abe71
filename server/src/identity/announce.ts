import { CachedLookup, type LookupOptions } from '../platform/shared/cached-lookup.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import type { Shared } from '../platform/shared/port.ts';

const channel = 'identity';

/** Tells every process that what it cached of a user, session or key is no longer so. Tags: `user:7`, `session:3`, `key:5`, `factors:7`. */
export interface Announcements {
  changed(tag: string): Promise<void>;
  onChanged(listener: (tag: string) => void, onGap: () => void): void;
  close(): Promise<void>;
}

export async function openAnnouncements(shared: Shared, hearing: Pick<Hearing, 'onGap'>): Promise<Announcements> {
  const listeners: { heard: (tag: string) => void; gap: () => void }[] = [];
  const hear = (tag: string) => {
    for (const listener of listeners) listener.heard(tag);
  };
  const gap = () => {
    for (const listener of listeners) listener.gap();
  };
  const unsubscribe = await shared.subscribe(channel, hear, gap);
  hearing.onGap(gap);
  return {
    changed: async (tag) => {
      // At once here, whatever becomes of the message; others believe what they kept for a second only while messages may be lost.
      hear(tag);
      await shared.publish(channel, tag).catch(() => {});
    },
    onChanged: (heard, gap) => {
      listeners.push({ heard, gap });
    },
    close: unsubscribe,
  };
}

/** A lookup that changes throw entries out of, as they are announced; all of them where some may have gone unheard. */
export function announcedLookup<V>({
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
