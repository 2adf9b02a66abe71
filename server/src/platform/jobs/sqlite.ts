import { type Generated, type Selectable, sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import type { Db } from '../db/tables.ts';
import type { Claim, JobStore, NewJob } from './store.ts';

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
  /** When a waiting job may run, a running one's lease ends, a dead one died. */
  due_at_ms: number;
  token: string | null;
  error: string | null;
  created_at_ms: number;
}

const leaseRanOut = 'the process that ran it gave no sign of life';

/** Jobs in a table of our own. */
export class SqliteJobStore implements JobStore {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

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

  async due(): Promise<string[]> {
    const now = this.clock.nowMs();
    const rows = await this.db
      .selectFrom('jobs')
      .select(['queue', 'state'])
      .where('state', 'in', ['waiting', 'running'])
      .where('due_at_ms', '<=', now)
      .groupBy(['queue', 'state'])
      .execute();
    if (rows.some((row) => row.state === 'running')) await this.takeBack(now);
    return [...new Set(rows.map((row) => row.queue))];
  }

  async claim(queue: string, limit: number, leaseMs: number): Promise<Claim[]> {
    const now = this.clock.nowMs();
    const rows = await this.db
      .updateTable('jobs')
      .set({ state: 'running', attempt: sql`attempt + 1`, token: randomString(16), due_at_ms: now + leaseMs })
      .where('id', 'in', (select) =>
        select
          .selectFrom('jobs')
          .select('id')
          .where('queue', '=', queue)
          .where('state', '=', 'waiting')
          .where('due_at_ms', '<=', now)
          .orderBy('due_at_ms')
          .orderBy('id')
          .limit(limit),
      )
      .returningAll()
      .execute();
    return rows.map(claimOf);
  }

  async extend(claim: Claim, leaseMs: number): Promise<boolean> {
    const result = await this.held(claim)
      .set({ due_at_ms: this.clock.nowMs() + leaseMs })
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  async finish(claim: Claim): Promise<void> {
    await this.db.deleteFrom('jobs').where('id', '=', Number(claim.id)).where('token', '=', claim.token).execute();
  }

  async again(claim: Claim, delayMs: number): Promise<void> {
    await this.held(claim)
      .set({ state: 'waiting', attempt: 0, token: null, error: null, due_at_ms: this.clock.nowMs() + delayMs })
      .execute();
  }

  async fail(claim: Claim, error: string, retryInMs: number | null): Promise<void> {
    const state = retryInMs === null ? 'dead' : 'waiting';
    await this.held(claim)
      .set({ state, token: null, error, due_at_ms: this.clock.nowMs() + (retryInMs ?? 0) })
      .execute();
  }

  async giveBack(claim: Claim): Promise<void> {
    await this.held(claim)
      .set({ state: 'waiting', attempt: claim.attempt - 1, token: null, due_at_ms: this.clock.nowMs() })
      .execute();
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

  async sweep(deadForMs: number): Promise<void> {
    await this.db
      .deleteFrom('jobs')
      .where('state', '=', 'dead')
      .where('due_at_ms', '<=', this.clock.nowMs() - deadForMs)
      .execute();
  }

  private held(claim: Claim) {
    return this.db.updateTable('jobs').where('id', '=', Number(claim.id)).where('token', '=', claim.token);
  }

  private async takeBack(now: number): Promise<void> {
    await this.db
      .updateTable('jobs')
      .set({
        state: sql`case when attempt < max_attempts then 'waiting' else 'dead' end`,
        due_at_ms: now,
        token: null,
        error: leaseRanOut,
      })
      .where('state', '=', 'running')
      .where('due_at_ms', '<=', now)
      .execute();
  }
}

const claimOf = (row: Selectable<JobsTable>): Claim => ({
  id: String(row.id),
  queue: row.queue,
  data: JSON.parse(row.data),
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  backoffMs: row.backoff_ms,
  token: row.token!,
});
