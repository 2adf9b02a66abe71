import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../db/tables.ts';
import type { Log } from '../log.ts';
import type { Shared } from '../shared/port.ts';
import { addToSum, correctSum, countedBefore, forgetSum, readSum } from './store.ts';

/**
 * Storage quota: the bytes stored for a user are summed up and bounded. Modules reserve bytes here before they write.
 */
export interface StorageQuota {
  /** Reserves bytes for a write; throws if they do not fit. */
  take(userId: number, bytes: number): Promise<void>;
  /** The same, but returns false if they do not fit, for data that may be left out. */
  tries(userId: number, bytes: number): Promise<boolean>;
  /**
   * Counts data that is stored in any case because it is paid for; later writes are refused if it exceeds the bound.
   */
  add(userId: number, bytes: number): void;
}

export interface StorageQuotaDeps {
  db: Db;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  clock: Clock;
  log: Log;
  /** 0 for no limit. */
  mostBytes(): number;
}

export interface OpenStorageQuota extends StorageQuota {
  /** Registers how a user's bytes are counted; until then the sum is what was added. */
  countBy(count: (userId: number) => Promise<number>): void;
  /** Counts from scratch and corrects the sum. */
  recount(userId: number): Promise<void>;
  mostBytes(): number;
  forget(userId: number): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const mebibyte = 1024 * 1024;
/**
 * Reserved ahead in steps, so that most writes need no query; a step left over when a process ends is corrected by the
 * next count.
 */
const stepOf = (most: number): number => Math.min(mebibyte, Math.floor(most / 256));
/** Users in memory; an evicted user simply reserves again. */
const mostKnown = 20_000;
/** Deletions are not reported, so a full account is recounted; but not on every request. */
const countAgainMs = 10_000;
/** Sums drift by what processes reserved and did not use, so all are recounted daily. */
const countDailySeconds = 86_400;
const countedAtOnce = 20;
const channel = 'keeping:counted';

const storageFull = (mostBytes: number) => {
  const most = Math.floor(mostBytes / mebibyte);
  return new AppError(
    'storage_full',
    `You have reached the storage limit of ${most} MiB for your account. Delete responses and conversations, files and batches, sessions, knowledge or chats that you no longer need. Your account page shows what uses how much.`,
    { body: { code: 'storage_full' } },
  );
};

/** Bytes already part of the sum but not yet written; negative: written but not yet part of the sum. */
interface Ahead {
  left: number;
  /** Writes that wait for the sum. Only one of several concurrent ones reserves ahead. */
  growing: number;
}

export async function openStorageQuota({
  db,
  shared,
  clock,
  log,
  mostBytes,
}: StorageQuotaDeps): Promise<OpenStorageQuota> {
  const known = new Map<number, Ahead>();
  const countedMs = new Map<number, number>();
  let count = async (_userId: number): Promise<number | null> => null;

  const aheadOf = (userId: number): Ahead => {
    const own = known.get(userId) ?? { left: 0, growing: 0 };
    return known.has(userId) ? own : bounded(known, userId, own);
  };
  const grow = async (userId: number, own: Ahead, bytes: number, most: number): Promise<boolean> => {
    own.growing += 1;
    const sum = await addToSum(db, userId, bytes, most).finally(() => {
      own.growing -= 1;
    });
    if (!sum) return false;
    own.left += bytes;
    if (sum.counted_at === 0) void recountQuietly(userId);
    return true;
  };
  const attempt = async (userId: number, bytes: number, most: number): Promise<boolean> => {
    const own = aheadOf(userId);
    own.left -= bytes;
    if (own.left >= 0) return true;
    const missing = Math.min(bytes, -own.left);
    if (own.growing === 0 && (await grow(userId, own, missing + stepOf(most), most))) return true;
    if (await grow(userId, own, missing, most)) return true;
    own.left += bytes;
    return false;
  };

  const recount = async (userId: number): Promise<void> => {
    bounded(countedMs, userId, clock.steadyMs());
    // The recount drops what processes have reserved ahead. One that misses the message uses up its reservation first.
    known.delete(userId);
    await shared.publish(channel, `${userId}`).catch(() => {});
    const before = await readSum(db, userId);
    const bytes = await count(userId);
    if (bytes !== null) await correctSum(db, userId, before, bytes, nowSeconds(clock));
  };
  const mayRecount = (userId: number): boolean =>
    clock.steadyMs() - (countedMs.get(userId) ?? Number.NEGATIVE_INFINITY) > countAgainMs;
  /** For users from before sums existed. */
  const recountQuietly = async (userId: number): Promise<void> => {
    if (!mayRecount(userId)) return;
    await recount(userId).catch((error) => log.warn({ error }, "a user's storage could not be counted"));
  };

  const tries = async (userId: number, bytes: number): Promise<boolean> => {
    const most = mostBytes();
    if (most === 0 || (await attempt(userId, bytes, most))) return true;
    if (!mayRecount(userId)) return false;
    await recount(userId);
    return attempt(userId, bytes, most);
  };

  const unsubscribe = await shared.subscribe(channel, (userId) => void known.delete(Number(userId)));
  return {
    tries,
    take: async (userId, bytes) => {
      if (!(await tries(userId, bytes))) throw storageFull(mostBytes());
    },
    add: (userId, bytes) => {
      const most = mostBytes();
      if (most === 0) return;
      const own = aheadOf(userId);
      own.left -= bytes;
      if (own.left >= 0) return;
      const missing = Math.min(bytes, -own.left) + stepOf(most);
      void grow(userId, own, missing, Number.MAX_SAFE_INTEGER).catch((error) =>
        log.warn({ error }, "a user's storage could not be totalled"),
      );
    },
    countBy: (given) => {
      count = given;
    },
    recount,
    mostBytes,
    forget: async (userId) => {
      known.delete(userId);
      await forgetSum(db, userId);
    },
    sweep: async () => {
      if (mostBytes() === 0) return;
      for (const userId of await countedBefore(db, nowSeconds(clock) - countDailySeconds, countedAtOnce))
        await recount(userId);
    },
    stop: unsubscribe,
  };
}

/** Sets the entry as the newest and evicts the oldest if there are too many. */
function bounded<V>(map: Map<number, V>, key: number, value: V): V {
  map.delete(key);
  map.set(key, value);
  if (map.size > mostKnown) map.delete(map.keys().next().value!);
  return value;
}
