import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Announcements } from '../../identity/announcements.ts';
import { CachedValue } from '../../identity/cached-value.ts';
import type { Options } from '../../identity/options.ts';
import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { thenMaybe } from '../../lib/maybe-promise.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { CacheSync } from '../../platform/shared/cache-sync.ts';
import {
  addSigningKey,
  deleteSigningKeys,
  type NewSigningKey,
  readSigningKeys,
  replaceSigningKeys,
  type SigningKeyRow,
  succeedSigningKey,
} from '../store/signing-keys.ts';
import { type SigningAlgorithm, signingAlgorithms } from './signing-algorithms.ts';

export const idTokenSeconds = 3600;
/** Cache time of the published keys. A new key is published this long before it signs. */
export const keysCachedSeconds = 300;
/** How long an expired ID token may still be used as a logout hint: its public key is kept for that. */
const hintSeconds = 90 * 86_400;
const daySeconds = 86_400;

type Signer = (claims: JWTPayload, type: string) => Promise<string>;

/** Keys that sign ID tokens; shared by all processes, cached in memory. */
export interface SigningKeys {
  /** Without a database read if the keys are cached. */
  signer(algorithm: SigningAlgorithm): Signer | Promise<Signer>;
  /** Public keys for applications: current, upcoming, and those with unexpired tokens. */
  published(): Promise<JWK[]>;
  /** A public key by id, even if it is no longer published. */
  named(kid: string): Promise<{ algorithm: string; jwk: JWK } | null>;
  all(): Promise<SigningKeyRow[]>;
  /** New keys for all algorithms; immediately only if the current ones are compromised. */
  rotate(atOnce: boolean): Promise<void>;
  /** Rotates keys that are old enough, and deletes those no longer needed. */
  sweep(): Promise<void>;
}

interface Ring {
  rows: SigningKeyRow[];
  private: Map<string, CryptoKey>;
}

export function openSigningKeys(deps: {
  db: Db;
  clock: Clock;
  sealer: Sealer;
  options: Options;
  cacheSync: Pick<CacheSync, 'heard'>;
  announcements: Announcements;
}): SigningKeys {
  const { db, clock, sealer } = deps;
  const load = async (): Promise<Ring> => {
    let rows = await readSigningKeys(db);
    const missing = signingAlgorithms.filter((alg) => !rows.some((row) => row.alg === alg && row.retired_at === null));
    if (missing.length > 0) {
      for (const alg of missing) await addSigningKey(db, await newKey(deps, alg, nowSeconds(clock)));
      rows = await readSigningKeys(db);
    }
    const signing = rows.filter((row) => row.retired_at === null || row.retired_at > nowSeconds(clock));
    const keys = signing.map(async ({ kid, alg, private_jwk }) => {
      const key = await importJWK(JSON.parse(sealer.open(private_jwk)) as JWK, alg);
      return [kid, key as CryptoKey] as const;
    });
    return { rows, private: new Map(await Promise.all(keys)) };
  };
  const ring = new CachedValue({ ...deps, tag: 'signing-keys', load });

  const signerIn = ({ rows, private: keys }: Ring, alg: SigningAlgorithm): Signer => {
    const now = nowSeconds(clock);
    const able = rows.filter((row) => row.alg === alg && keys.has(row.kid));
    // The newest, if a clock that was set back leaves none.
    const row = able.find(({ starts_at }) => starts_at <= now) ?? able[0]!;
    return (claims, typ) => new SignJWT(claims).setProtectedHeader({ alg, kid: row.kid, typ }).sign(keys.get(row.kid)!);
  };

  return {
    signer: (alg) => thenMaybe(ring.get(), (found) => signerIn(found, alg)),
    published: async () => {
      const { rows } = await ring.get();
      const oldest = nowSeconds(clock) - idTokenSeconds - keysCachedSeconds;
      return rows
        .filter(({ retired_at }) => retired_at === null || retired_at > oldest)
        .map(({ public_jwk }) => JSON.parse(public_jwk) as JWK);
    },
    named: async (kid) => {
      const row = (await ring.get()).rows.find((one) => one.kid === kid);
      return row ? { algorithm: row.alg, jwk: JSON.parse(row.public_jwk) as JWK } : null;
    },
    all: async () => (await ring.get()).rows,
    rotate: async (atOnce) => {
      const now = nowSeconds(clock);
      if (!atOnce) await ring.get();
      for (const alg of signingAlgorithms)
        if (atOnce) await replaceSigningKeys(db, await newKey(deps, alg, now));
        else await succeedSigningKey(db, await newKey(deps, alg, now + keysCachedSeconds), now);
      await ring.changed();
    },
    sweep: async () => {
      const now = nowSeconds(clock);
      const days = deps.options.get('OAuth2SigningKeyDays');
      const oldest = now - days * daySeconds;
      const rows = await readSigningKeys(db);
      const due = rows.filter((row) => days > 0 && row.retired_at === null && row.created_at <= oldest);
      for (const { alg } of due) {
        const next = await newKey(deps, alg, now + keysCachedSeconds);
        await succeedSigningKey(db, next, oldest);
      }
      await deleteSigningKeys(db, now - hintSeconds);
      if (due.length > 0) await ring.changed();
    },
  };
}

async function newKey(
  { clock, sealer }: { clock: Clock; sealer: Sealer },
  alg: SigningAlgorithm,
  startsAt: number,
): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomString(16);
  const named = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    public_jwk: JSON.stringify({ ...(await exportJWK(publicKey)), ...named }),
    private_jwk: sealer.seal(JSON.stringify({ ...(await exportJWK(privateKey)), ...named })),
    starts_at: startsAt,
    created_at: nowSeconds(clock),
  };
}
