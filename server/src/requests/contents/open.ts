import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { openOrNull, type Sealer } from '../../lib/seal.ts';
import { inBatches, type PersonalData, sweepBatches } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { RowBuffer } from '../../platform/durable/batch.ts';
import { isUnavailable } from '../../platform/durable/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { CacheSync } from '../../platform/shared/cache-sync.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { bytesOfRow } from '../../platform/storage-quota/sizes.ts';
import type { StorageQuota } from '../../platform/storage-quota/storage-quota.ts';
import type { Content, Contents } from '../../relay/contents.ts';
import { CachedById } from '../../routing/cached-by-id.ts';
import {
  type ContentRow,
  deleteContents,
  exportOf,
  findContent,
  giveConsent,
  hasConsent,
  insertContents,
  takeConsentBack,
} from './store.ts';

export interface ContentsDeps {
  db: Db;
  clock: Clock;
  sealer: Sealer;
  log: Log;
  storage: StorageQuota;
  shared: Shared;
  cacheSync: CacheSync;
  /** 0: nothing is kept. */
  keptDays(): number;
}

/** The plain form of what is sealed. */
export type KeptContent = Pick<Content, 'prompt' | 'answer' | 'cut'>;

export interface KeptContents extends Contents {
  keptDays(): number;
  /** Withdrawing consent deletes what was kept. */
  setConsent(userId: number, given: boolean): Promise<void>;
  /** Null if nothing was kept, or no key can open it any more. */
  find(requestId: string, userId: number | undefined): Promise<KeptContent | null>;
  exportOf(userId: number): PersonalData;
  forgetUser(userId: number): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const channel = 'requests:content-consents';

/** Prompts belong to users: kept only with their consent, sealed, for some days, and written nowhere else. */
export async function openContents(deps: ContentsDeps): Promise<KeptContents> {
  const { db, clock, sealer, log, storage, keptDays } = deps;
  const consents = new CachedById<boolean>({ ...deps, channel, load: (userId) => hasConsent(db, userId) });
  await consents.subscribe();
  const opened = (sealed: string): string | null => openOrNull(sealer, sealed);
  const rows = new RowBuffer<Content & { created_at: number }>({
    everyMs: 500,
    retryMs: 2_000,
    // Each may have a hundred kilobytes: small batches keep SQLite's writer free.
    atOnce: 20,
    mostWaiting: 500,
    write: async (batch) => {
      const fitting: ContentRow[] = [];
      for (const row of batch.map(rowOf))
        if (await storage.tries(row.user_id, bytesOfRow(row.content))) fitting.push(row);
      await insertContents(db, fitting);
    },
    failed: (error) => {
      log.warn({ error }, 'prompts and answers could not be stored');
      return isUnavailable(error);
    },
    lost: (lost) => log.warn({ lost }, 'prompts and answers were not stored: there are too many'),
  });
  const rowOf = ({
    requestId,
    userId,
    created_at,
    prompt,
    answer,
    cut,
  }: Content & { created_at: number }): ContentRow => ({
    ...{ request_id: requestId, user_id: userId, created_at },
    content: sealer.seal(JSON.stringify({ prompt, answer, cut } satisfies KeptContent)),
  });
  const deleteAll = async (userId: number): Promise<void> => {
    await rows.flush();
    await inBatches((most) => deleteContents(db, { userId }, most));
  };

  return {
    keptDays,
    on: () => keptDays() > 0,
    allows: (userId) => consents.get(userId),
    note: (content) => rows.add({ ...content, created_at: nowSeconds(clock) }),
    setConsent: async (userId, given) => {
      await (given ? giveConsent(db, userId, nowSeconds(clock)) : takeConsentBack(db, userId));
      await consents.changed(userId);
      if (!given) await deleteAll(userId);
    },
    find: async (requestId, userId) => {
      await rows.flush();
      const row = await findContent(db, requestId);
      if (!row || (userId !== undefined && row.user_id !== userId)) return null;
      const text = opened(row.content);
      return text === null ? null : (JSON.parse(text) as KeptContent);
    },
    exportOf: (userId) => exportOf(db, userId, opened),
    forgetUser: async (userId) => {
      await takeConsentBack(db, userId);
      await consents.changed(userId);
      await deleteAll(userId);
    },
    sweep: async () => {
      const before = nowSeconds(clock) - keptDays() * 86_400;
      await inBatches((most) => deleteContents(db, { before }, most), sweepBatches);
    },
    stop: async () => {
      await rows.stop();
      await consents.close();
    },
  };
}
