import { type Generated, sql } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { type Db, engineOf } from '../db/tables.ts';
import type { Log } from '../log.ts';

declare module '../db/tables.ts' {
  interface Tables {
    /** The processes that live: whatever names another owner is an orphan. */
    owners: {
      id: string;
      beats: number;
      /** 1 while the others do not hear what it changes. */
      mute: Generated<number>;
      /** 1 for a process of an earlier build. */
      slow: Generated<number>;
      /** When it last beat, by the server's clock; 0 of a process that does not say so. */
      beaten_at: Generated<number>;
    };
  }
}

/** Often enough that a few beats may be missed on a busy machine before anybody thinks of death. */
export const beatMs = 1_000;
/** With the beat at which it is noticed, what a killed process held is taken over within 7 seconds; promised are 10. */
export const deadAfterMs = 6_000;
/** Whoever joins need not have listened to know of such a silence: processes that all die young would never hear one to its end. */
const longSilentSeconds = 30;
/** An earlier build beats every ten seconds. */
const slowDeadAfterMs = 35_000;
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
  /** What one of the others changes may go unheard: it said so with its last beat. */
  readonly someoneMute: boolean;
  /** A process of an earlier build lives. It does not know all that others keep. */
  readonly someoneEarlier: boolean;
  /** Called when nobody is mute any more. */
  onAllHeard(forget: () => void): void;
  /** One beat, a look at the list, and taking over; by itself once a beat. */
  look(): Promise<void>;
  /** Takes this process off the list, so that what it still holds is free at once. */
  leave(): Promise<void>;
}

interface OwnersDeps {
  db: Db;
  log: Pick<Log, 'warn'>;
  clock?: Clock;
  /** Whether the others hear what this process changes. */
  isMute?: () => boolean;
}

/** Puts this process on the list. */
export async function openOwners({ db, log, clock = systemClock, isMute = () => false }: OwnersDeps): Promise<Owners> {
  // A SQLite file has one process: whoever else is on the list is dead.
  if (engineOf(db) === 'sqlite') await db.deleteFrom('owners').execute();
  else await removeLongSilent(db, log);
  const id = await join(db, isMute());
  const list = new OwnersList(id, db, log, clock, isMute);
  if (engineOf(db) === 'sqlite') return list;
  const earlier = await db.selectFrom('owners').select('id').where('slow', '=', 1).executeTakeFirst();
  list.someoneEarlier = earlier !== undefined;
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

/** Of the server, since the clocks of two machines differ. A SQLite file has one process, and nobody asks. */
const serverSeconds = (db: Db) =>
  engineOf(db) === 'sqlite' ? sql<number>`0` : sql<number>`floor(extract(epoch from clock_timestamp()))`;

/**
 * If all were silent because the server was away, or its clock jumped, one that lives may be among them: after so long it believes
 * itself that it holds nothing any more, and it comes back under another name.
 */
async function removeLongSilent(db: Db, log: Pick<Log, 'warn'>): Promise<void> {
  const removed = await db
    .deleteFrom('owners')
    .where('beaten_at', '>', 0)
    .where('beaten_at', '<', sql<number>`${serverSeconds(db)} - ${longSilentSeconds}`)
    .returning('id')
    .execute();
  for (const { id } of removed) log.warn({ owner: id }, 'a process fell silent long ago; what it held is taken over');
}

/**
 * One row per process, with a counter. Whoever's counter stands still is dead: silence is measured by those who listen, each
 * on its own clock, since the clocks of two machines differ by more than a beat.
 */
class OwnersList implements Owners {
  readonly #heard = new Map<string, { beats: number; sinceMs: number }>();
  readonly #works: (() => Promise<unknown>)[] = [];
  readonly #losers: (() => void)[] = [];
  readonly #forgetters: (() => void)[] = [];
  readonly #stop: () => void;
  someoneMute = false;
  someoneEarlier = false;
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
    // A server that does not answer is not asked twice.
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null;
    });
    const someoneLeft = await this.#beating;
    if (!someoneLeft && this.clock.steadyMs() - this.#lookedAtMs < lookMs) return;
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
    this.#hear(rows.some(({ id, mute }) => mute === 1 && id !== this.id));
    this.someoneEarlier = rows.some(({ slow }) => slow === 1);
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

  /** Also when whoever was mute has left the list: what it changed, nobody will tell. */
  #hear(someoneMute: boolean): void {
    const allHeard = this.someoneMute && !someoneMute;
    this.someoneMute = someoneMute;
    if (allHeard) for (const forget of this.#forgetters) forget();
  }

  /** Unless it has been heard of in this very moment. */
  async #remove(id: string, beats: number): Promise<boolean> {
    const gone = this.db.deleteFrom('owners').where('id', '=', id).where('beats', '=', beats);
    const { numDeletedRows } = await gone.executeTakeFirst();
    if (numDeletedRows > 0n) this.log.warn({ owner: id }, 'a process fell silent; what it held is taken over');
    return numDeletedRows > 0n;
  }

  async #takeOver(): Promise<void> {
    this.#lookedAtMs = this.clock.steadyMs();
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
