import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { expiringMap } from '../../platform/shared/expiring-map.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { invalidClient } from '../client-auth.ts';
import { type Budget, countReading, type JsonAtDeps, readJsonAt } from '../json-at.ts';
import { type KeySet, readKeySet } from './key-set.ts';

/** The keys of clients that have them at an address (`jwks_uri`). */
export interface KeyAddresses {
  /** `anew` when a key is asked for that was not among them: then they are read again, unless that was just done. */
  keysAt(uri: string, anew?: 'anew'): Promise<KeySet>;
}

interface Deps extends JsonAtDeps {
  clock: Clock;
  shared: Shared;
}

/** Sets with whole certificates in them have some thousands for each key. */
const mostBytes = 64 * 1024;
/** However long their author says, and whatever has gone wrong since: a key that was taken away is gone within the hour. */
const mostMs = 3_600_000;
/** Anybody can name a key that there is not, and must not make us knock for them. */
const anewMs = 30_000;
const failedMs = 60_000;
/** Of clients that are in use at the same time; a set is some thousand characters. */
const mostKept = 1_000;

/** Nobody makes us a tool against another's server, nor keeps us busy with keys alone. */
const budgetsFor = (uri: string): Budget[] => [
  { key: `client-keys:${new URL(uri).host}`, most: 10 },
  { key: 'client-keys', most: 120 },
];

const wrong = (what: string): AppError => invalidClient(`The key set at jwks_uri ${what}.`);

interface Kept {
  keys: KeySet;
  readAtMs: number;
  believedMs: number;
}

/**
 * Kept by each process for itself: nobody who can write to what processes share can say by which keys a client is known. An
 * address that cannot be read for a while leaves its client known by the keys of before, within the hour.
 */
export function openKeyAddresses(deps: Deps): KeyAddresses {
  const { clock } = deps;
  const kept = expiringMap<Kept>(clock, mostKept);
  const failed = expiringMap<string>(clock, mostKept);
  const reading = new Map<string, Promise<KeySet>>();

  const read = async (uri: string): Promise<KeySet> => {
    const fault = failed.find(uri);
    if (fault) throw invalidClient(fault.value);
    for (const budget of budgetsFor(uri)) await countReading(deps, budget);
    try {
      const { object, seconds } = await readJsonAt(deps, uri, { mostBytes, userAgent: 'svc-client-keys/1.0', wrong });
      const keys = readKeySet(object);
      if ('fault' in keys) throw wrong(keys.fault);
      const believedMs = Math.min(mostMs, seconds * 1000);
      kept.set(uri, { keys, readAtMs: clock.steadyMs(), believedMs }, mostMs);
      return keys;
    } catch (error) {
      if (error instanceof AppError) failed.set(uri, error.message, failedMs);
      throw error;
    }
  };
  const readOnce = (uri: string): Promise<KeySet> => {
    const mine = reading.get(uri) ?? read(uri).finally(() => reading.delete(uri));
    reading.set(uri, mine);
    return mine;
  };

  return {
    keysAt: async (uri, anew) => {
      const known = kept.find(uri)?.value;
      if (known && clock.steadyMs() - known.readAtMs < (anew ? anewMs : known.believedMs)) return known.keys;
      return readOnce(uri).catch((error: unknown) => {
        if (known && error instanceof AppError) return known.keys;
        throw error;
      });
    },
  };
}
