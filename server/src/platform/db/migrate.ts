import { sql } from 'kysely';
import packageJson from '../../../../package.json' with { type: 'json' };
import { withExclusiveTables } from './exclusive-tables.ts';
import { type Migration, wordsOf } from './migration.ts';
import { migration as versions } from './migrations/0011-versions.ts';
import { migrations as all, earlier } from './migrations/index.ts';
import { sqliteOf } from './sqlite-dialect.ts';
import { type Db, engineOf } from './tables.ts';

/** Arbitrary lock id, the same in every process of the service. */
const lockNumber = 728_104_211;

/**
 * Runs pending migrations. Processes that start together wait for each other; each migration runs once, in a
 * transaction.
 */
export async function migrate(db: Db, migrations: Migration[] = all): Promise<string[]> {
  if (engineOf(db) === 'sqlite') return migrateSqlite(db, migrations);
  return withExclusiveTables((lock) =>
    db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(lockNumber)})`.execute(tx);
      return runSteps(tx, migrations, () => lock(tx));
    }),
  );
}

/**
 * Migrations sort large tables on disk to build indexes. Afterwards temporary data is small: the journals of statements that
 * insert many rows, which SQLite would write to files in the system's temporary folder.
 */
async function migrateSqlite(db: Db, migrations: Migration[]): Promise<string[]> {
  const applied = await db.transaction().execute((tx) => runSteps(tx, migrations));
  const { gate, writer } = sqliteOf(db);
  await gate.inTurn(() => writer.run('pragma temp_store = memory'));
  return applied;
}

async function runSteps(tx: Db, migrations: Migration[], lock = async () => {}): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx);
  const rows = await readSteps(tx);
  refuseNewer(rows, migrations);
  const done = new Set(rows.map((row) => row.name));
  const pending = migrations.filter(({ name }) => !done.has(name));
  if (pending.length === 0) return [];
  if (done.size > 0) await lock();
  const words = wordsOf(engineOf(tx));
  const run = async (statements: string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
  };
  const made = madeBeforeFirst(done);
  if (made === 'some') await run(earlier.complete(words));
  for (const { name, statements } of pending) {
    if (made === 'none' || name > earlier.made) await run(statements(words));
    await sql`insert into migrations (name, applied_at) values (${name}, ${Math.floor(Date.now() / 1000)})`.execute(tx);
  }
  if (made === 'some') await run(earlier.sideBySide(words));
  const applied = pending.map(({ name }) => name);
  if (done.has(versions.name) || applied.includes(versions.name))
    await sql`update migrations set version = ${packageJson.version} where name in (${sql.join(applied)})`.execute(tx);
  return applied;
}

/**
 * Whether a build before the first version created the tables up to `earlier.made` with other migrations; those are
 * then only recorded as done.
 */
function madeBeforeFirst(done: ReadonlySet<string>): 'none' | 'some' | 'all' {
  if (!done.has(earlier.first) || done.has('0002-durable')) return 'none';
  if (done.has(earlier.last)) return 'all';
  if (done.has(earlier.short) && [...done].every((name) => name <= earlier.short)) return 'some';
  throw new Error('This database was created by an early build that is no longer supported. Start with an empty one.');
}

interface Step {
  name: string;
  /** Missing for migrations that ran before this column existed. */
  version?: string | null;
}

const readSteps = async (db: Db): Promise<Step[]> => (await sql<Step>`select * from migrations`.execute(db)).rows;

/** Migrations unknown to this program. Those of builds before the first version do not count. */
export function newerSteps(done: Step[], migrations: Migration[] = all): Step[] {
  const known = new Set(migrations.map(({ name }) => name));
  const madeBefore = done.some(({ name }) => name === earlier.first);
  return done.filter(({ name, version }) => !known.has(name) && (version || !madeBefore));
}

/** Refuse to start on a newer database: with unknown or missing tables, request after request would fail. */
function refuseNewer(done: Step[], migrations: Migration[]): void {
  const newer = newerSteps(done, migrations);
  if (newer.length > 0) throw new Error(needsNewer(newer));
}

export function needsNewer(newer: Step[]): string {
  const made = newer.findLast(({ version }) => version)?.version;
  return (
    `the database belongs to ${made ? `svc ${made}` : 'a newer version of svc'}, which ran ${newer.map(({ name }) => name).join(', ')}; ` +
    `this is svc ${packageJson.version}, which does not know ${newer.length === 1 ? 'that step' : 'those steps'}. ` +
    `Start ${made ? `version ${made}` : 'that version'} or a later one, or restore a backup from before the upgrade.`
  );
}

/** The migrations that have run; empty for an empty database. */
export const listApplied = (db: Db): Promise<Step[]> => readSteps(db).catch(() => []);
