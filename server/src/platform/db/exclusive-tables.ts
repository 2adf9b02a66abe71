import { sql } from 'kysely';
import type { Db } from './tables.ts';

/**
 * PostgreSQL checks for deadlocks after a second and aborts the session that checks first. Migrations give up earlier,
 * so that it never is a request of a process that is serving meanwhile.
 */
const patienceMs = 800;
/** Lets waiting requests proceed between two attempts. */
const pauseMs = 300;
const mostTries = 100;

/** The statement hit its timeout. */
const isCanceled = (error: unknown): boolean => (error as { errno?: string } | null)?.errno === '57014';

/**
 * Runs a transaction that calls `lock` before it changes tables; restarts it if the locks cannot be acquired in time.
 */
export async function withExclusiveTables<T>(run: (lock: (tx: Db) => Promise<void>) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    let locking = false;
    try {
      return await run(async (tx) => {
        locking = true;
        await lockAll(tx);
        locking = false;
      });
    } catch (error) {
      if (!locking || !isCanceled(error)) throw error;
      if (tries === mostTries)
        throw new Error(
          'The tables are locked by a long-running statement, such as a dump. Try again when it has finished.',
        );
    }
    await Bun.sleep(pauseMs);
  }
}

/** All tables at once and before anything else: locking one by one could deadlock with requests. */
async function lockAll(tx: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select quote_ident(c.relname) as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`.execute(tx);
  await sql.raw(`set local statement_timeout = ${patienceMs}`).execute(tx);
  await sql.raw(`lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`).execute(tx);
  await sql.raw('set local statement_timeout = default').execute(tx);
}
