import { sql } from 'kysely';
import { type Db, engineOf } from '../db/tables.ts';

/** Imports the jobs that an earlier build left in pg-boss's tables, once its last process is gone; returns how many. */
export async function importPgBossJobs(db: Db): Promise<number> {
  if (engineOf(db) === 'sqlite') return 0;
  const { rows } = await sql<{ there: boolean }>`select to_regclass('pgboss.job') is not null
    and not exists (select from owners where slow = 1) as there`.execute(db);
  if (!rows[0]!.there) return 0;
  const { numAffectedRows } = await sql`
    with gone as (
      delete from pgboss.job where state in ('created', 'retry', 'active') and name not like '\\_\\_%'
      returning name, singleton_key, data, retry_limit, start_after, created_on
    )
    insert into jobs (queue, key, data, state, attempt, max_attempts, backoff_ms, due_at_ms, created_at_ms)
    select case name when 'person.forget' then 'accounts.delete' else name end, singleton_key, data ->> 'payload',
      'waiting', 0, retry_limit + 1, (data ->> 'backoffMs')::bigint,
      (extract(epoch from start_after) * 1000)::bigint, (extract(epoch from created_on) * 1000)::bigint
    from gone on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
