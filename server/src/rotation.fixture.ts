/** Runs at the end of every whole-service test: a key rotation must find everything that is still sealed. */
import { type CompiledQuery, sql } from 'kysely';
import { resealAll } from './cli/reseal-all.ts';
import { resealWithin, sealBeginning } from './lib/seal.ts';
import type { Db } from './platform/db/tables.ts';

interface Texts {
  table: string;
  columns: string[];
}

/** Replaces everything a rotation finds, and throws if something sealed is left. The database cannot be used afterwards. */
export async function rotateAway(db: Db): Promise<void> {
  // The test may have closed it.
  const isOpen = await sql`select 1`.execute(db).catch(() => null);
  if (!isOpen) return;
  const away = () => 'found';
  await resealAll(db, away);
  search ??= searchOf(db);
  const { everyText, whichHolds } = await search;
  const { rows: holding } = await db.executeQuery(whichHolds);
  const forgotten = new Set<string>();
  for (const { table, columns } of holding.map(({ at }) => everyText[at]!)) {
    const query = sql<Record<string, string | null>>`select ${sql.join(columns.map((column) => sql.ref(column)))}
      from ${sql.table(table)} where ${looksSealed(columns)}`;
    for (const row of (await query.execute(db)).rows)
      for (const [column, text] of Object.entries(row))
        if (text !== null && resealWithin(text, away) !== text) forgotten.add(`${table}.${column}`);
  }
  if (forgotten.size > 0)
    throw new Error(`A rotation of the key forgets ${[...forgotten].join(', ')}: see cli/reseal-all.ts.`);
}

interface Search {
  everyText: Texts[];
  /** One statement for all tables, as hundreds of tests end with it; returns the indexes of those that match. */
  whichHolds: CompiledQuery<{ at: number }>;
}

/** Partitions differ between tests; their parent table covers them. */
const monthPartition = /_\d{4}_\d{2}$/;

/** All tests have the same tables, so the first one lists them. */
let search: Promise<Search> | undefined;

async function searchOf(db: Db): Promise<Search> {
  const tables = await db.introspection.getTables();
  const everyText = tables
    .filter(({ isView, name }) => !isView && !monthPartition.test(name))
    .map(({ name, columns }) => ({
      table: name,
      columns: columns.filter(({ dataType }) => /text|json/i.test(dataType)).map((column) => column.name),
    }))
    .filter(({ columns }) => columns.length > 0);
  const asked = everyText.map(
    ({ table, columns }, at) =>
      sql`select ${sql.lit(at)} as at where exists (select 1 from ${sql.table(table)} where ${looksSealed(columns)})`,
  );
  return { everyText, whichHolds: sql<{ at: number }>`${sql.join(asked, sql` union all `)}`.compile(db) };
}

const looksSealed = (columns: string[]) =>
  sql.join(
    columns.map((column) => sql`${sql.ref(column)} like ${sql.lit(`%${sealBeginning}%`)}`),
    sql` or `,
  );
