import { type Clock, nowSeconds } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import { inBatches, sweepBatches } from '../db/pages.ts';
import type { Db } from '../db/tables.ts';
import { retryUntilWritten } from '../durable/lease.ts';
import type { Owners } from '../durable/owners.ts';
import type { Log } from '../log.ts';
import * as store from './store.ts';

export interface KeptAnswer {
  status: number;
  type: string;
  body: string;
}

/** Permission to perform a request once; `id` is the same for every attempt with the same key. */
interface Attempt {
  id: number;
  keep(answer: KeptAnswer): Promise<void>;
  /** Nothing was done, or the outcome is unknown: it may be retried. */
  release(): Promise<void>;
}

type Begun = { attempt: Attempt } | { kept: KeptAnswer } | 'running' | 'other_request';

export interface Idempotency {
  begin(userId: number, key: string, fingerprint: string): Promise<Begun>;
  sweep(): Promise<void>;
}

/** How long the first answer is replayed. */
const keptSeconds = 86_400;

export function openIdempotency(deps: { db: Db; owners: Owners; clock: Clock; sealer: Sealer; log: Log }): Idempotency {
  const { db, owners, clock, sealer, log } = deps;

  /**
   * The caller waits for the first attempt only; retries run in the background, and the key stays in use until then.
   */
  const settle = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      void retryUntilWritten(owners, write, (next) =>
        log.warn({ error: next }, 'the end of a request could not be recorded'),
      );
      throw error;
    }
  };
  const attemptOf = (held: store.Held): Attempt => ({
    id: held.id,
    keep: (answer) => settle(() => store.keepAnswer(db, held, sealer.seal(JSON.stringify(answer)))),
    release: () => settle(() => store.dropKey(db, held)),
  });

  const claim = async (userId: number, key: string, fingerprint: string): Promise<Attempt | null> => {
    const row = { user_id: userId, key, fingerprint, owner: owners.id, created_at: nowSeconds(clock) };
    const held = await store.claimKey(db, row);
    return held && attemptOf(held);
  };

  /** Null if the key became free in the meantime. */
  const meet = async (row: store.KeyRow & { living: string | null }, fingerprint: string): Promise<Begun | null> => {
    if (row.owner === '' && row.created_at <= nowSeconds(clock) - keptSeconds) {
      await store.dropKey(db, row);
      return null;
    }
    if (row.fingerprint !== fingerprint) return 'other_request';
    if (row.owner === '') return { kept: JSON.parse(sealer.open(row.answer)) as KeptAnswer };
    if (row.living !== null) return 'running';
    const taken = await store.takeOver(db, row, owners.id);
    return taken ? { attempt: attemptOf({ id: row.id, epoch: row.epoch + 1 }) } : 'running';
  };

  return {
    begin: async (userId, key, fingerprint) => {
      // Twice at most: if the key is dropped between claim and lookup, the second claim succeeds or finds the new
      // holder.
      for (let i = 0; i < 2; i += 1) {
        const attempt = await claim(userId, key, fingerprint);
        if (attempt) return { attempt };
        const row = await store.findKeyRow(db, userId, key);
        const met = row && (await meet(row, fingerprint));
        if (met) return met;
      }
      return 'running';
    },
    sweep: async () => {
      const before = nowSeconds(clock) - keptSeconds;
      await inBatches((most) => store.deleteOldKeys(db, before, most), sweepBatches);
    },
  };
}
