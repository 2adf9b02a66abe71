/** Under every test of the whole service: whatever it left sealed has to be found by a rotation of the key. */
import { sql } from 'kysely';
import { resealAll } from './cli/reseal-all.ts';
import { resealWithin, sealBeginning } from './lib/seal.ts';
import type { Db } from './platform/db/tables.ts';

/** Puts a word in place of all that a rotation finds, and throws where something sealed is left. Not for a database that is used again. */
export async function rotateAway(db: Db): Promise<void> {
  // A test may have closed it before.
  const isOpen = await sql`select 1`.execute(db).catch(() => null);
  if (!isOpen) return;
  const away = () => 'found';
  await resealAll(db, away);
  const forgotten = new Set<string>();
  for (const { name: table, columns, isView } of await db.introspection.getTables()) {
    const texts = columns.filter(({ dataType }) => /text|json/i.test(dataType)).map(({ name }) => name);
    if (isView || texts.length === 0) continue;
    const looksSealed = (column: string) => sql`${sql.ref(column)} like ${`%${sealBeginning}%`}`;
    const query = sql<Record<string, string | null>>`select ${sql.join(texts.map((column) => sql.ref(column)))}
      from ${sql.table(table)} where ${sql.join(texts.map(looksSealed), sql` or `)}`;
    for (const row of (await query.execute(db)).rows)
      for (const [column, text] of Object.entries(row))
        if (text !== null && resealWithin(text, away) !== text) forgotten.add(`${table}.${column}`);
  }
  if (forgotten.size > 0)
    throw new Error(`A rotation of the key forgets ${[...forgotten].join(', ')}: see cli/reseal-all.ts.`);
}
