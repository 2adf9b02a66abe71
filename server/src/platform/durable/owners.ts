import { type Generated, sql } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { type Db, engineOf } from '../db/tables.ts';
import type { Log } from '../log.ts';

declare module '../db/tables.ts' {
  interface Tables {
    /** The living processes: a row with any other owner is orphaned. */
    owners: {
      id: string;
      beats: number;
      /** 1 while other processes do not receive its change messages. */
      mute: Generated<number>;
      /** 1 for a process of an earlier build. */
      slow: Generated<number>;
      /** Time of the last heartbeat by the server's clock; 0 for a process that does not report it. */
      beaten_at: Generated<number>;
    };
  }
}

/** Frequent enough that a few heartbeats may be missed on a busy machine before the process counts as dead. */
export const beatMs = 1_000;
/**
 * Including the beat at which it is noticed, what a killed process held is taken over within 7 seconds; we promise 10.
 */
export const deadAfterMs = 6_000;
/**
 * A new process may remove owners silent for this long without having observed them; otherwise a series of processes
 * that all die young would never remove any.
 */
const longSilentSeconds = 30;
/** Earlier builds send a heartbeat every ten seconds. */
const slowDeadAfterMs = 35_000;
/** A process gives up one beat before others may take over, because it checks its own silence only once per beat. */
const giveUpAfterMs = deadAfterMs - beatMs;
/**
 * Orphans are searched for whenever a process leaves the list, and at this interval for those that appeared otherwise.
 */
const lookMs = 10_000;

export interface Owners {
  /** The owner id of this process. Changes after other processes considered it dead; empty once it has left. */
  readonly id: string;
  /** The last heartbeat could not be written, so nothing can: the disk is full or the server read-only. */
  readonly silent: boolean;
  /** Called when a process has left the list, and every few seconds: takes over rows without a living owner. */
  onLook(work: () => Promise<unknown>): void;
  /** Called when other processes may have taken over whatever this one holds. */
  onLost(lose: () => void): void;
  /** Some process reported with its last heartbeat that its change messages may not arrive. */
  readonly anyMute: boolean;
  /** A process of an earlier build is running, which does not know about everything that newer ones store. */
  readonly anyEarlierBuild: boolean;
  /** Called when no process is mute any more. */
  onAllHeard(forget: () => void): void;
  /** Sends a heartbeat, checks the list and takes over orphans; runs once per beat. */
  look(): Promise<void>;
  /** Removes this process from the list, so that what it still holds is free at once. */
  leave(): Promise<void>;
}

interface OwnersDeps {
  db: Db;
  log: Pick<Log, 'warn'>;
  clock?: Clock;
  /** Whether other processes do not receive this one's change messages. */
  isMute?: () => boolean;
}

/** Registers this process. */
export async function openOwners({ db, log, clock = systemClock, isMute = () => false }: OwnersDeps): Promise<Owners> {
  // A SQLite file has a single process: all others in the list are dead.
  if (engineOf(db) === 'sqlite') await db.deleteFrom('owners').execute();
  else await removeLongSilent(db, log);
  const id = await join(db, isMute());
  const list = new OwnersList(id, db, log, clock, isMute);
  if (engineOf(db) === 'sqlite') return list;
  const earlier = await db.selectFrom('owners').select('id').where('slow', '=', 1).executeTakeFirst();
  list.anyEarlierBuild = earlier !== undefined;
  return list;
}

async function join(db: Db, mute: boolean): Promise<string> {
  const id = randomString(16);
  await db
    .insertInto('owners')
    .values({ id, beats: 0, mute: Number(mute), beaten_at: serverSeconds(db) })
    .execute();
  return id;
}

/** The server's clock, since those of two machines differ. Not needed on SQLite, which has a single process. */
const serverSeconds = (db: Db) =>
  engineOf(db) === 'sqlite' ? sql<number>`0` : sql<number>`floor(extract(epoch from clock_timestamp()))`;

/**
 * If the server was unavailable or its clock jumped, a silent process may still be alive. After this long it has given
 * up everything it held, and registers again under a new id.
 */
async function removeLongSilent(db: Db, log: Pick<Log, 'warn'>): Promise<void> {
  const removed = await db
    .deleteFrom('owners')
    .where('beaten_at', '>', 0)
    .where('beaten_at', '<', sql<number>`${serverSeconds(db)} - ${longSilentSeconds}`)
    .returning('id')
    .execute();
  for (const { id } of removed)
    log.warn({ owner: id }, 'a process stopped responding long ago; its work is taken over');
}

/**
 * One row per process, with a counter. A process whose counter stands still is dead. Silence is measured by each
 * observer on its own monotonic clock, because the clocks of two machines differ by more than a beat.
 */
class OwnersList implements Owners {
  readonly #heard = new Map<string, { beats: number; sinceMs: number }>();
  readonly #works: (() => Promise<unknown>)[] = [];
  readonly #losers: (() => void)[] = [];
  readonly #forgetters: (() => void)[] = [];
  readonly #stop: () => void;
  anyMute = false;
  anyEarlierBuild = false;
  #beatenAtMs: number;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #lost = false;
  silent = false;
  #beating: Promise<boolean> | null = null;
  #working: Promise<void> | null = null;

  constructor(
    public id: string,
    readonly db: Db,
    readonly log: Pick<Log, 'warn'>,
    readonly clock: Clock,
    readonly isMute: () => boolean,
  ) {
    this.#beatenAtMs = clock.steadyMs();
    this.#stop = clock.every(beatMs, () => {
      if (clock.steadyMs() - this.#beatenAtMs >= giveUpAfterMs) this.#lose();
      void this.look();
    });
  }

  onLook(work: () => Promise<unknown>): void {
    this.#works.push(work);
  }

  onLost(lose: () => void): void {
    this.#losers.push(lose);
  }

  onAllHeard(forget: () => void): void {
    this.#forgetters.push(forget);
  }

  async look(): Promise<void> {
    // Do not send a second query to a server that does not answer.
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null;
    });
    const someoneLeft = await this.#beating;
    if (!someoneLeft && this.clock.steadyMs() - this.#lookedAtMs < lookMs) return;
    // Runs beside the heartbeats, which long work must not delay.
    this.#working ??= this.#takeOver().finally(() => {
      this.#working = null;
    });
    await this.#working;
  }

  async leave(): Promise<void> {
    this.#stop();
    await this.#beating;
    await this.#working;
    try {
      await this.db.deleteFrom('owners').where('id', '=', this.id).execute();
    } catch (error) {
      this.log.warn({ error }, 'could not sign off; remaining work is taken over once this process is considered dead');
    }
    this.id = '';
  }

  /** Returns whether a process has left the list. */
  async #beat(): Promise<boolean> {
    const askedAtMs = this.clock.steadyMs();
    try {
      const mute = Number(this.isMute());
      const beaten_at = serverSeconds(this.db);
      const own = this.db.updateTable('owners').set((eb) => ({ beats: eb('beats', '+', 1), mute, beaten_at }));
      const { numUpdatedRows } = await own.where('id', '=', this.id).executeTakeFirst();
      if (numUpdatedRows === 0n) {
        this.#lose();
        this.id = await join(this.db, this.isMute());
      }
      // After an outage of the database give other processes time for a heartbeat: it was unavailable for them too.
      if (askedAtMs - this.#beatenAtMs > 3 * beatMs) this.#heard.clear();
      this.#beatenAtMs = askedAtMs;
      this.#lost = false;
      const someoneLeft = await this.#listen(askedAtMs);
      this.silent = false;
      return someoneLeft;
    } catch (error) {
      this.#heard.clear();
      if (!this.silent) this.log.warn({ error }, "could not write this process's heartbeat to the database");
      this.silent = true;
      return false;
    }
  }

  async #listen(nowMs: number): Promise<boolean> {
    const rows = await this.db.selectFrom('owners').selectAll().execute();
    const listed = new Set(rows.map(({ id }) => id));
    this.#hear(rows.some(({ id, mute }) => mute === 1 && id !== this.id));
    this.anyEarlierBuild = rows.some(({ slow }) => slow === 1);
    let someoneLeft = false;
    for (const id of this.#heard.keys()) {
      if (listed.has(id)) continue;
      this.#heard.delete(id);
      someoneLeft = true;
    }
    for (const { id, beats, slow } of rows) {
      const silentMs = slow === 1 ? slowDeadAfterMs : deadAfterMs;
      const heard = this.#heard.get(id);
      if (heard?.beats !== beats) this.#heard.set(id, { beats, sinceMs: this.clock.steadyMs() });
      else if (nowMs - heard.sinceMs >= silentMs) someoneLeft = (await this.#remove(id, beats)) || someoneLeft;
    }
    return someoneLeft;
  }

  /** Also fires when a mute process has left the list, because its changes will never be announced. */
  #hear(anyMute: boolean): void {
    const allHeard = this.anyMute && !anyMute;
    this.anyMute = anyMute;
    if (allHeard) for (const forget of this.#forgetters) forget();
  }

  /** Does nothing if a heartbeat arrived in the meantime. */
  async #remove(id: string, beats: number): Promise<boolean> {
    const gone = this.db.deleteFrom('owners').where('id', '=', id).where('beats', '=', beats);
    const { numDeletedRows } = await gone.executeTakeFirst();
    if (numDeletedRows > 0n) this.log.warn({ owner: id }, 'a process stopped responding; its work is taken over');
    return numDeletedRows > 0n;
  }

  async #takeOver(): Promise<void> {
    this.#lookedAtMs = this.clock.steadyMs();
    for (const work of this.#works) {
      try {
        await work();
      } catch (error) {
        // Try again soon, since it may take hours until the next process leaves the list.
        this.#lookedAtMs = Number.NEGATIVE_INFINITY;
        this.log.warn({ error }, 'takeover failed; it will be retried');
      }
    }
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    for (const lose of this.#losers) lose();
  }
}
