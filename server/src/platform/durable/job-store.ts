import { type Generated, type Selectable, sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { resealingWithin } from '../db/reseal.ts';
import { type Db, engineOf } from '../db/tables.ts';
import type { DeadJobs } from './jobs.ts';
import { livingOwners } from './lease.ts';

declare module '../db/tables.ts' {
  interface Tables {
    jobs: JobsTable;
  }
}

interface JobsTable {
  id: Generated<number>;
  queue: string;
  key: string | null;
  data: string;
  state: 'waiting' | 'running' | 'dead';
  attempt: number;
  max_attempts: number;
  backoff_ms: number;
  /** When a waiting job is due, or when a dead one died. */
  due_at_ms: number;
  owner: string | null;
  /** Increases with every claim: writes of a former holder have no effect. */
  epoch: Generated<number>;
  error: string | null;
  created_at_ms: number;
}

export interface NewJob {
  queue: string;
  data: unknown;
  delayMs: number;
  key: string | null;
  maxAttempts: number;
  backoffMs: number;
}

export interface Claim {
  id: number;
  epoch: number;
  queue: string;
  data: unknown;
  /** 1 for the first attempt. */
  attempt: number;
  maxAttempts: number;
  backoffMs: number;
}

/** Counting stops here. */
const mostDead = 1_000;

const ownerGone = 'the process that ran it stopped responding';

export class JobStore {
  constructor(
    readonly db: Db,
    readonly clock: Clock,
  ) {}

  /** Null if a waiting or running job of that queue has the same key. */
  async add(job: NewJob): Promise<string | null> {
    const now = this.clock.nowMs();
    const row = await this.db
      .insertInto('jobs')
      .values({
        queue: job.queue,
        key: job.key,
        data: JSON.stringify(job.data ?? null),
        state: 'waiting',
        attempt: 0,
        max_attempts: job.maxAttempts,
        backoff_ms: job.backoffMs,
        due_at_ms: now + job.delayMs,
        created_at_ms: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return row ? String(row.id) : null;
  }

  /** The queues with jobs that are due. */
  async due(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('jobs')
      .select('queue')
      .distinct()
      .where('state', '=', 'waiting')
      .where('due_at_ms', '<=', this.clock.nowMs())
      .execute();
    return rows.map((row) => row.queue);
  }

  /** Concurrent processes claim different jobs: PostgreSQL skips rows being claimed, SQLite has a single writer. */
  async claim(queue: string, limit: number, owner: string): Promise<Claim[]> {
    const rows = await this.db
      .with('next', (db) =>
        db
          .selectFrom('jobs')
          .select('id as next_id')
          .where('queue', '=', queue)
          .where('state', '=', 'waiting')
          .where('due_at_ms', '<=', this.clock.nowMs())
          .orderBy('due_at_ms')
          .orderBy('id')
          .limit(limit)
          .$if(engineOf(this.db) === 'postgres', (query) => query.forUpdate().skipLocked()),
      )
      .updateTable('jobs')
      .from('next')
      .whereRef('id', '=', 'next_id')
      .set((eb) => ({ state: 'running', attempt: eb('attempt', '+', 1), owner, epoch: eb('epoch', '+', 1) }))
      .returningAll()
      .execute();
    return rows.sort((a, b) => a.due_at_ms - b.due_at_ms || a.id - b.id).map(claimOf);
  }

  async finish(claim: Claim): Promise<void> {
    const held = this.db.deleteFrom('jobs').where('id', '=', claim.id).where('epoch', '=', claim.epoch);
    await held.where('state', '=', 'running').execute();
  }

  /** Reschedules the job and resets its attempts. */
  async again(claim: Claim, delayMs: number): Promise<void> {
    await this.held(claim)
      .set({ state: 'waiting', attempt: 0, error: null, due_at_ms: this.clock.nowMs() + delayMs })
      .execute();
  }

  /** Records a failure; with `retryInMs` null the job is dead. */
  async fail(claim: Claim, error: string, retryInMs: number | null): Promise<void> {
    const state = retryInMs === null ? 'dead' : 'waiting';
    await this.held(claim)
      .set({ state, error, due_at_ms: this.clock.nowMs() + (retryInMs ?? 0) })
      .execute();
  }

  /** Reverts the claim, so that another process can take the job, at once or later. */
  async giveBack(claim: Claim, delayMs = 0): Promise<void> {
    await this.held(claim)
      .set({ state: 'waiting', attempt: claim.attempt - 1, due_at_ms: this.clock.nowMs() + delayMs })
      .execute();
  }

  /** Jobs of dead processes become waiting again, or dead after their last attempt. */
  async takeBack(): Promise<number> {
    const { numUpdatedRows } = await this.db
      .updateTable('jobs')
      .set({
        state: sql`case when attempt < max_attempts then 'waiting' else 'dead' end`,
        due_at_ms: this.clock.nowMs(),
        error: ownerGone,
      })
      .where('state', '=', 'running')
      .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', 'not in', livingOwners(this.db))]))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async depth(): Promise<Record<string, number>> {
    const rows = await this.db
      .selectFrom('jobs')
      .select(['queue', (select) => select.fn.countAll<number>().as('size')])
      .where('state', 'in', ['waiting', 'running'])
      .groupBy('queue')
      .execute();
    return Object.fromEntries(rows.map((row) => [row.queue, Number(row.size)]));
  }

  /** Newest first, bounded. */
  async dead(): Promise<DeadJobs[]> {
    const rows = await this.db
      .selectFrom('jobs')
      .select(['queue', 'due_at_ms', 'error'])
      .where('state', '=', 'dead')
      .orderBy('due_at_ms', 'desc')
      .limit(mostDead)
      .execute();
    const queues = Map.groupBy(rows, ({ queue }) => queue);
    return [...queues].map(([queue, jobs]) => ({
      ...{ queue, jobs: jobs.length, sinceMs: jobs.at(-1)!.due_at_ms, error: jobs[0]!.error },
    }));
  }

  /** Deletes jobs that have been dead for `deadForMs`. */
  async sweep(deadForMs: number): Promise<void> {
    await this.db
      .deleteFrom('jobs')
      .where('state', '=', 'dead')
      .where('due_at_ms', '<=', this.clock.nowMs() - deadForMs)
      .execute();
  }

  private held({ id, epoch }: Claim) {
    return this.db.updateTable('jobs').where('id', '=', id).where('epoch', '=', epoch).where('state', '=', 'running');
  }
}

const claimOf = (row: Selectable<JobsTable>): Claim => ({
  id: row.id,
  epoch: row.epoch,
  queue: row.queue,
  data: JSON.parse(row.data),
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  backoffMs: row.backoff_ms,
});

/** Some jobs contain encrypted credentials of other services. */
export const resealJobs = resealingWithin('jobs', ['id'], 'data');
