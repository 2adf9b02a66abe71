import { type Clock, systemClock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { type Db, engineOf } from '../db/tables.ts';
import type { Log } from '../log.ts';

declare module '../db/tables.ts' {
  interface Tables {
    /** The processes that live: whatever names another owner is an orphan. */
    owners: { id: string; beats: number };
  }
}

/** Often enough that a few beats may be missed on a busy machine before anybody thinks of death. */
export const beatMs = 1_000;
/** With the beat at which it is noticed, what a killed process held is taken over within 7 seconds; promised are 10. */
export const deadAfterMs = 6_000;
/** A process gives up a beat before others may take over, since it only looks at its own silence once a beat. */
const giveUpAfterMs = deadAfterMs - beatMs;
/** Orphans are looked for whenever somebody has left the list, and this often for what appeared without that. */
const lookMs = 10_000;

export interface Owners {
  /** Names this process in whatever it holds. Another name after others took it for dead; empty once it has left. */
  readonly id: string;
  /** The last beat could not be written: nothing can, on a disk that is full or a server that only reads. */
  readonly silent: boolean;
  /** Called when somebody has left the list, and every few seconds: takes over what nobody on the list holds. */
  onLook(work: () => Promise<unknown>): void;
  /** Called when others may have taken over whatever this process holds. */
  onLost(lose: () => void): void;
  /** One beat, a look at the list, and taking over; by itself once a beat. */
  look(): Promise<void>;
  /** Takes this process off the list, so that what it still holds is free at once. */
  leave(): Promise<void>;
}

interface OwnersDeps {
  db: Db;
  log: Pick<Log, 'warn'>;
  clock?: Clock;
}

/** Silence is real time: a wall clock that is set, or moved by a test, is nobody's death. */
const realTime: Clock = { ...systemClock, nowMs: () => performance.now() };

/** Puts this process on the list. */
export async function openOwners({ db, log, clock = realTime }: OwnersDeps): Promise<Owners> {
  // A SQLite file has one process: whoever else is on the list is dead.
  if (engineOf(db) === 'sqlite') await db.deleteFrom('owners').execute();
  const id = await join(db);
  return new OwnersList(id, db, log, clock);
}

async function join(db: Db): Promise<string> {
  const id = randomString(16);
  await db.insertInto('owners').values({ id, beats: 0 }).execute();
  return id;
}

/**
 * One row per process, with a counter. Whoever's counter stands still is dead: silence is measured by those who listen, each
 * on its own clock, since the clocks of two machines differ by more than a beat.
 */
class OwnersList implements Owners {
  readonly #heard = new Map<string, { beats: number; sinceMs: number }>();
  readonly #works: (() => Promise<unknown>)[] = [];
  readonly #losers: (() => void)[] = [];
  readonly #stop: () => void;
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
  ) {
    this.#beatenAtMs = clock.nowMs();
    this.#stop = clock.every(beatMs, () => {
      if (clock.nowMs() - this.#beatenAtMs >= giveUpAfterMs) this.#lose();
      void this.look();
    });
  }

  onLook(work: () => Promise<unknown>): void {
    this.#works.push(work);
  }

  onLost(lose: () => void): void {
    this.#losers.push(lose);
  }

  async look(): Promise<void> {
    // A server that does not answer is not asked twice.
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null;
    });
    const someoneLeft = await this.#beating;
    if (!someoneLeft && this.clock.nowMs() - this.#lookedAtMs < lookMs) return;
    // Beside the beats, which long work must not hold up.
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
      this.log.warn({ error }, 'could not sign off; what is left will be taken over once this process counts as dead');
    }
    this.id = '';
  }

  /** Whether somebody has left the list. */
  async #beat(): Promise<boolean> {
    const askedAtMs = this.clock.nowMs();
    try {
      const own = this.db.updateTable('owners').set((eb) => ({ beats: eb('beats', '+', 1) }));
      const { numUpdatedRows } = await own.where('id', '=', this.id).executeTakeFirst();
      if (numUpdatedRows === 0n) {
        this.#lose();
        this.id = await join(this.db);
      }
      // After a gap in listening the others must have time to be heard: the database was away for them too.
      if (askedAtMs - this.#beatenAtMs > 3 * beatMs) this.#heard.clear();
      this.#beatenAtMs = askedAtMs;
      this.#lost = false;
      const someoneLeft = await this.#listen(askedAtMs);
      this.silent = false;
      return someoneLeft;
    } catch (error) {
      this.#heard.clear();
      if (!this.silent) this.log.warn({ error }, 'the database does not hear that this process lives');
      this.silent = true;
      return false;
    }
  }

  async #listen(nowMs: number): Promise<boolean> {
    const rows = await this.db.selectFrom('owners').selectAll().execute();
    const listed = new Set(rows.map(({ id }) => id));
    let someoneLeft = false;
    for (const id of this.#heard.keys()) {
      if (listed.has(id)) continue;
      this.#heard.delete(id);
      someoneLeft = true;
    }
    for (const { id, beats } of rows) {
      const heard = this.#heard.get(id);
      if (heard?.beats !== beats) this.#heard.set(id, { beats, sinceMs: this.clock.nowMs() });
      else if (nowMs - heard.sinceMs >= deadAfterMs) someoneLeft = (await this.#remove(id, beats)) || someoneLeft;
    }
    return someoneLeft;
  }

  /** Unless it has been heard of in this very moment. */
  async #remove(id: string, beats: number): Promise<boolean> {
    const gone = this.db.deleteFrom('owners').where('id', '=', id).where('beats', '=', beats);
    const { numDeletedRows } = await gone.executeTakeFirst();
    if (numDeletedRows > 0n) this.log.warn({ owner: id }, 'a process fell silent; what it held is taken over');
    return numDeletedRows > 0n;
  }

  async #takeOver(): Promise<void> {
    this.#lookedAtMs = this.clock.nowMs();
    for (const work of this.#works) {
      try {
        await work();
      } catch (error) {
        // Asked again soon, since nobody may leave the list for hours.
        this.#lookedAtMs = Number.NEGATIVE_INFINITY;
        this.log.warn({ error }, 'taking over failed; will be tried again');
      }
    }
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    for (const lose of this.#losers) lose();
  }
}
