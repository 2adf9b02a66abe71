import type { Clock } from '../../lib/clock.ts';
import type { PostgresPool } from '../db/postgres-pool.ts';
import type { Db } from '../db/tables.ts';
import { PgBossJobStore } from './pg-boss.ts';
import type { Jobs } from './port.ts';
import { runJobs } from './runner.ts';
import { SqliteJobStore } from './sqlite.ts';
import type { JobsLog } from './store.ts';

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
  const store = sql
    ? await PgBossJobStore.open(sql, (error) => log.error({ err: error }, 'pg-boss reports an error'))
    : new SqliteJobStore(db, clock);
  return runJobs(store, log);
}
