import { useState } from 'react';
import { useUser } from '../../session.ts';
import { entryOf, type SpendingEntry, windowOf } from '../../spending.ts';

/**
 * Session storage key for the amount of an unanswered request. These pages lead to the login page when the session
 * ends, and back, possibly over an identity provider.
 */
const place = 'svc-consent-spending';

interface Kept extends SpendingEntry {
  of: string;
}

function keptFor(of: string): SpendingEntry | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? '{}') as Partial<Kept>;
    if (kept.of !== of || kept.usd === undefined) return null;
    return { usd: kept.usd, window: windowOf(kept.window ?? null) };
  } catch {
    return null;
  }
}

function keep(kept: Kept): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(kept));
  } catch {
    // Storage is full or forbidden: then the amount must be typed again.
  }
}

/** The amount that this user allows this application, as typed before the session ended. */
export function useSpendingEntry(clientId: string, before: Parameters<typeof entryOf>[0]) {
  const of = `${useUser().id} ${clientId}`;
  // A preview has no client.
  const isKept = clientId !== '';
  const [entry, setEntry] = useState(() => (isKept && keptFor(of)) || entryOf(before));
  const change = (next: SpendingEntry) => {
    setEntry(next);
    if (isKept) keep({ of, ...next });
  };
  return [entry, change] as const;
}

/** Called once the user has answered. */
export function dropSpendingEntry(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Nothing could be kept either.
  }
}
