import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { expiringMap } from '../../platform/shared/expiring-map.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { invalidClient } from '../client-auth.ts';
import { type Budget, countFetch, type FetchJsonDeps, fetchJson } from '../fetch-json.ts';
import { type KeySet, readKeySet } from './key-set.ts';

/** Keys of clients with a `jwks_uri`. */
export interface KeyAddresses {
  /** `anew` if an unknown key is used: then they are fetched again, unless that was just done. */
  keysAt(uri: string, anew?: 'anew'): Promise<KeySet>;
}

interface Deps extends FetchJsonDeps {
  clock: Clock;
  shared: Shared;
}

/** Sets with whole certificates have some thousand bytes per key. */
const mostBytes = 64 * 1024;
/** Maximum cache time, whatever the server says or if it fails: a revoked key is gone within the hour. */
const mostMs = 3_600_000;
/** Anybody can name an unknown key, which must not cause a fetch each time. */
const anewMs = 30_000;
const failedMs = 60_000;
/** Of clients in use at the same time; a set has some thousand characters. */
const mostKept = 1_000;

/** Limits fetches per host and in total, so that we cannot be used to attack another server. */
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
 * Cached per process: data shared between processes must not decide which keys authenticate a client. If an address is
 * temporarily unreachable, the previous keys stay valid within the hour.
 */
export function openKeyAddresses(deps: Deps): KeyAddresses {
  const { clock } = deps;
  const kept = expiringMap<Kept>(clock, mostKept);
  const failed = expiringMap<string>(clock, mostKept);
  const reading = new Map<string, Promise<KeySet>>();

  const read = async (uri: string): Promise<KeySet> => {
    const fault = failed.find(uri);
    if (fault) throw invalidClient(fault.value);
    for (const budget of budgetsFor(uri)) await countFetch(deps, budget);
    try {
      const { object, seconds } = await fetchJson(deps, uri, { mostBytes, userAgent: 'svc-client-keys/1.0', wrong });
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
