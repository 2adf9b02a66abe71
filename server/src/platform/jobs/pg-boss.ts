import PgBoss from 'pg-boss';
import type { PostgresPool } from '../db/postgres-pool.ts';
import type { Claim, JobStore, NewJob } from './store.ts';

/** Lease of a job between being fetched and getting its queue's own; a process may die even there. */
const fetchLeaseSeconds = 30;
/**
 * pg-boss makes (queue, key, time slot) unique. A slot as long as an integer allows is the same for every job, so the key
 * alone counts; finished jobs are deleted and dead ones lose their slot, so only living jobs stand in the way.
 */
const oneSlotSeconds = 2_147_483_647;

/** What pg-boss keeps as a job's data. */
interface Envelope {
  payload: unknown;
  backoffMs: number;
}

/**
 * Jobs in pg-boss's tables over our own connections. pg-boss adds and fetches them (SKIP LOCKED); leases in milliseconds,
 * their extension and being called again are statements of ours on the same rows: it has no heartbeat, and counts in
 * seconds.
 */
export class PgBossJobStore implements JobStore {
  private readonly queues = new Map<string, Promise<void>>();

  private constructor(
    private readonly sql: PostgresPool,
    private readonly boss: PgBoss,
  ) {}

  /** Makes pg-boss's tables where they are missing. */
  static async open(sql: PostgresPool, onError: (error: Error) => void): Promise<PgBossJobStore> {
    const boss = new PgBoss({
      db: { executeSql: (text, values) => executeSql(sql, text, values) },
      supervise: false,
      schedule: false,
      archiveCompletedAfterSeconds: oneSlotSeconds,
      retentionDays: 365,
    });
    boss.on('error', onError);
    await boss.start();
    return new PgBossJobStore(sql, boss);
  }

  async add(job: NewJob): Promise<string | null> {
    await this.ensureQueue(job.queue);
    const envelope: Envelope = { payload: job.data ?? null, backoffMs: job.backoffMs };
    return this.boss.send(job.queue, envelope, {
      retryLimit: job.maxAttempts - 1,
      expireInSeconds: fetchLeaseSeconds,
      startAfter: job.delayMs / 1000,
      ...(job.key !== null && { singletonKey: job.key, singletonSeconds: oneSlotSeconds }),
    });
  }

  async due(): Promise<string[]> {
    const rows: { name: string }[] = await this.sql.unsafe(dueStatement);
    return rows.map((row) => row.name);
  }

  async claim(queue: string, limit: number, leaseMs: number): Promise<Claim[]> {
    await this.ensureQueue(queue);
    const jobs = await this.boss.fetch<Envelope>(queue, { batchSize: limit, includeMetadata: true });
    if (jobs.length === 0) return [];
    const leases: { id: string; token: string }[] = await this.sql.unsafe(
      `update pgboss.job set expire_in = now() - started_on + $3::float8 * interval '1 millisecond'
       where name = $1 and id = any($2::text::uuid[]) and state = 'active' returning id, started_on::text as token`,
      [queue, `{${jobs.map((job) => job.id).join(',')}}`, leaseMs],
    );
    const tokens = new Map(leases.map((lease) => [lease.id, lease.token]));
    return jobs.flatMap((job) => {
      const token = tokens.get(job.id);
      return token === undefined ? [] : [claimOf(job, token)];
    });
  }

  extend(claim: Claim, leaseMs: number): Promise<boolean> {
    return this.change(claim, `expire_in = now() - started_on + $4::float8 * interval '1 millisecond'`, [leaseMs]);
  }

  async finish(claim: Claim): Promise<void> {
    await this.sql.unsafe(
      `delete from pgboss.job
       where name = $1 and id = $2::uuid and state = 'active' and started_on = $3::text::timestamptz`,
      [claim.queue, claim.id, claim.token],
    );
  }

  async again(claim: Claim, delayMs: number): Promise<void> {
    // Without `started_on` the next fetch counts as the first.
    await this.change(
      claim,
      `state = 'created', started_on = null, retry_count = 0, keep_until = now() + interval '1 year',
       start_after = now() + $4::float8 * interval '1 millisecond'`,
      [delayMs],
    );
  }

  async fail(claim: Claim, error: string, retryInMs: number | null): Promise<void> {
    const output = `output = jsonb_build_object('message', $4::text)`;
    if (retryInMs === null) {
      await this.change(claim, `state = 'failed', completed_on = now(), singleton_on = null, ${output}`, [error]);
    } else {
      const later = `start_after = now() + $5::float8 * interval '1 millisecond'`;
      await this.change(claim, `state = 'retry', ${later}, ${output}`, [error, retryInMs]);
    }
  }

  async giveBack(claim: Claim): Promise<void> {
    await this.change(claim, `state = 'retry', started_on = null, start_after = now()`);
  }

  async depth(): Promise<Record<string, number>> {
    const rows: { name: string; size: number }[] = await this.sql.unsafe(
      `select name, count(*)::int as size from pgboss.job where state < 'completed' group by name`,
    );
    return Object.fromEntries(rows.map((row) => [row.name, Number(row.size)]));
  }

  async sweep(deadForMs: number): Promise<void> {
    await this.sql.unsafe(
      `delete from pgboss.job where state = 'failed' and completed_on < now() - $1::float8 * interval '1 millisecond'`,
      [deadForMs],
    );
  }

  private ensureQueue(queue: string): Promise<void> {
    const known = this.queues.get(queue);
    if (known) return known;
    const made = this.boss.createQueue(queue).catch((error) => {
      this.queues.delete(queue);
      throw error;
    });
    this.queues.set(queue, made);
    return made;
  }

  /** Changes a job only while the claim still holds it: `started_on` is new with each fetch. */
  private async change(claim: Claim, set: string, values: unknown[] = []): Promise<boolean> {
    const rows = await this.sql.unsafe(
      `update pgboss.job set ${set}
       where name = $1 and id = $2::uuid and state = 'active' and started_on = $3::text::timestamptz returning 1`,
      [claim.queue, claim.id, claim.token, ...values],
    );
    return rows.length > 0;
  }
}

const dueStatement = `
  with lost as (
    select name, id from pgboss.job where state = 'active' and started_on + expire_in < now() for update skip locked
  ), taken_back as (
    update pgboss.job j set
      state = (case when retry_count < retry_limit then 'retry' else 'failed' end)::pgboss.job_state,
      start_after = now(),
      completed_on = case when retry_count < retry_limit then null else now() end,
      singleton_on = case when retry_count < retry_limit then singleton_on end,
      output = jsonb_build_object('message', 'the process that ran it gave no sign of life')
    from lost where j.name = lost.name and j.id = lost.id
    returning j.name
  )
  select name from pgboss.job where state < 'active' and start_after < now()
  union select name from taken_back`;

const claimOf = (job: PgBoss.JobWithMetadata<Envelope>, token: string): Claim => ({
  id: job.id,
  queue: job.name,
  data: job.data.payload,
  attempt: job.retryCount + 1,
  maxAttempts: job.retryLimit + 1,
  backoffMs: job.data.backoffMs,
  token,
});

/**
 * pg-boss sends whole transactions as one text. Run as they are, a failing one would leave a pooled connection inside a
 * broken transaction, so Bun opens and ends it instead.
 */
async function executeSql(sql: PostgresPool, text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
  const transaction = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/.exec(text);
  if (transaction) {
    await sql.runTogether(transaction[1]!);
    return { rows: [] };
  }
  return {
    rows: await sql.unsafe(
      text,
      values.map((value) => value ?? null),
    ),
  };
}
