import type { Clock } from '../../lib/clock.ts';
import type { PostgresPool } from '../db/postgres-pool.ts';
import type { Db } from '../db/tables.ts';
import type { Jobs } from './port.ts';
import { runJobs } from './runner.ts';
import { SqliteJobStore } from './sqlite.ts';
import type { JobStore, JobsLog } from './store.ts';

interface JobsParts {
  /** Migrated already. */
  db: Db;
  /** Given on PostgreSQL; jobs are then pg-boss's. */
  sql?: PostgresPool;
  clock: Clock;
  log: JobsLog;
}

/** Ready to take jobs when it resolves; they run from `start` on. */
export async function openJobs({ db, sql, clock, log }: JobsParts): Promise<Jobs> {
  return runJobs(sql ? await openPgBoss(sql, log) : new SqliteJobStore(db, clock), log);
}

async function openPgBoss(sql: PostgresPool, log: JobsLog): Promise<JobStore> {
  // Loaded here, since it and what it brings are a sixth of all code and of no use on SQLite, which starts the sooner.
  const { PgBossJobStore } = await import('./pg-boss.ts');
  return PgBossJobStore.open(sql, (error) => log.error({ err: error }, 'pg-boss reports an error'));
}
