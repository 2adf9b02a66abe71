import { sql } from 'kysely';
import { type Migration, wordsOf } from './migration.ts';
import { migrations as all, earlier } from './migrations/index.ts';
import { type Db, engineOf } from './tables.ts';

/** Any number will do, as long as every process of the service uses the same one. */
const lockNumber = 728_104_211;

/** Runs what has not run yet. Two processes that start together wait for each other; each step runs once, whole or not at all. */
export async function migrate(db: Db, migrations: Migration[] = all): Promise<string[]> {
  const engine = engineOf(db);
  return db.transaction().execute(async (tx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(lockNumber)})`.execute(tx);
    await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx);
    const done = new Set(
      (await sql<{ name: string }>`select name from migrations`.execute(tx)).rows.map((r) => r.name),
    );
    const applied: string[] = [];
    const madeBefore = wasMadeBeforeFirst(done);
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      if (!madeBefore || migration.name > earlier.made)
        for (const statement of migration.statements(wordsOf(engine))) await sql.raw(statement).execute(tx);
      await sql`insert into migrations (name, applied_at) values (${migration.name}, ${Math.floor(Date.now() / 1000)})`.execute(
        tx,
      );
      applied.push(migration.name);
    }
    return applied;
  });
}

/** Whether a build from before the first version made the same tables, in other steps: then these are only noted as done. */
function wasMadeBeforeFirst(done: ReadonlySet<string>): boolean {
  if (!done.has(earlier.first) || done.has('0002-durable')) return false;
  if (done.has(earlier.last)) return true;
  throw new Error(
    'This database was made by an early build whose tables are no longer known. Start with an empty one.',
  );
}

/** Names of the migrations that have run; none on a database that is still empty. */
export async function listApplied(db: Db): Promise<string[]> {
  try {
    return (await sql<{ name: string }>`select name from migrations`.execute(db)).rows.map((row) => row.name);
  } catch {
    return [];
  }
}
