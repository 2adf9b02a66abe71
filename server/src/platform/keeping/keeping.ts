import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../db/tables.ts';
import type { Log } from '../log.ts';
import type { Shared } from '../shared/port.ts';
import { addToSum, countedBefore, forgetSum, mendSum, readSum } from './store.ts';

/** What a user keeps has a sum, and the sum a bound. Rooms take their bytes here before they write them. */
export interface Keeping {
  /** For what is about to be written; refused where it does not fit. */
  take(userId: number, bytes: number): Promise<void>;
  /** The same, for what is left unkept where it does not fit. */
  tries(userId: number, bytes: number): Promise<boolean>;
  /** For what is paid for and kept in any case: it is counted, and what comes next is refused. */
  add(userId: number, bytes: number): void;
}

export interface KeepingDeps {
  db: Db;
  shared: Pick<Shared, 'publish' | 'subscribe'>;
  clock: Clock;
  log: Log;
  /** 0 for none. */
  mostBytes(): number;
}

export interface OpenKeeping extends Keeping {
  /** Declares how what a user keeps is counted; until then sums are what was added. */
  countBy(count: (userId: number) => Promise<number>): void;
  /** Counts anew and mends the sum. */
  recount(userId: number): Promise<void>;
  mostBytes(): number;
  forget(userId: number): Promise<void>;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const mebibyte = 1024 * 1024;
/** Taken ahead of need, so that most writes ask nobody; what is left of it when a process ends is found by the next count. */
const stepOf = (most: number): number => Math.min(mebibyte, Math.floor(most / 256));
/** Users that a process knows of; whoever is thrown out takes anew. */
const mostKnown = 20_000;
/** Whoever has no room left is counted anew, since things are deleted without a word; but not with each request. */
const countAgainMs = 10_000;
/** What nobody has asked about drifts by what processes took and did not use. */
const countDailySeconds = 86_400;
const countedAtOnce = 20;
const channel = 'keeping:counted';

const storageFull = (mostBytes: number) => {
  const most = Math.floor(mostBytes / mebibyte);
  return new AppError(
    'storage_full',
    `You keep ${most} MiB, and no more are kept for an account. Delete responses and conversations, files and batches, sessions, knowledge or chats that you no longer need; your account page tells what takes how much.`,
    { body: { code: 'storage_full' } },
  );
};

/** Bytes that the sum counts already and nobody has written; below 0: written, and not counted yet. */
interface Ahead {
  left: number;
  /** Writes that wait for the sum. Of several at once, one takes ahead. */
  growing: number;
}

export async function openKeeping({ db, shared, clock, log, mostBytes }: KeepingDeps): Promise<OpenKeeping> {
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
    // What processes have taken ahead is no longer counted for them. One that does not hear it uses that up first.
    known.delete(userId);
    await shared.publish(channel, `${userId}`).catch(() => {});
    const before = await readSum(db, userId);
    const bytes = await count(userId);
    if (bytes !== null) await mendSum(db, userId, before, bytes, nowSeconds(clock));
  };
  const mayRecount = (userId: number): boolean =>
    clock.steadyMs() - (countedMs.get(userId) ?? Number.NEGATIVE_INFINITY) > countAgainMs;
  /** Of users of before there were sums. */
  const recountQuietly = async (userId: number): Promise<void> => {
    if (!mayRecount(userId)) return;
    await recount(userId).catch((error) => log.warn({ error }, 'what a user keeps could not be counted'));
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
        log.warn({ error }, 'what a user keeps could not be added up'),
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

/** Sets it as the youngest, and throws the oldest out where there are too many. */
function bounded<V>(map: Map<number, V>, key: number, value: V): V {
  map.delete(key);
  map.set(key, value);
  if (map.size > mostKnown) map.delete(map.keys().next().value!);
  return value;
}
