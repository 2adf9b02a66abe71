import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { CompiledQuery } from 'kysely';
import { insertText } from '../../platform/db/insert-many.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { execute } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { NewAuditRow } from './tables.ts';

const fields = {
  action: 'text',
  actor_id: 'bigint',
  actor_name: 'text',
  target_type: 'text',
  target_id: 'bigint',
  target_name: 'text',
  state_before: 'text',
  state_after: 'text',
  metadata: 'text',
  ip: 'text',
  user_agent: 'text',
  created_at: 'bigint',
} as const satisfies Record<keyof NewAuditRow, string>;
const names = Object.keys(fields) as (keyof NewAuditRow)[];
const into = `insert into audit_log (${names.join(', ')})`;
const typed = Object.entries(fields).map(([name, type]) => `${name} ${type}`);

/**
 * All rows in one parameter: the statement text is constant. Passed as text, since Bun would encode a json parameter
 * twice.
 */
const insertRows = CompiledQuery.raw(
  `${into} select ${names.join(', ')} from json_to_recordset($1::text::json) as r (${typed})`,
);
/**
 * Values in one transaction: SQLite takes twice as long to extract rows from JSON. Many rows per statement halve the
 * cost per row, because the five indexes are opened once. Only a few sizes, since each stays prepared.
 */
const insertsBySize = new Map([16, 4, 1].map((rows) => [rows, insertText('audit_log', names, rows, 'sqlite')]));

export async function insertAudit(db: Db, rows: NewAuditRow[]): Promise<void> {
  if (engineOf(db) === 'postgres') await execute(db, insertRows, [JSON.stringify(rows)]);
  else await writeSync(db, (writer) => insertValues(writer, rows));
}

function insertValues(writer: Database, rows: readonly NewAuditRow[]): void {
  let at = 0;
  for (const [size, text] of insertsBySize) {
    const insert = prepared(writer, text);
    for (; at + size <= rows.length; at += size) insert.run(...valuesOf(rows, at, at + size));
  }
}

function valuesOf(rows: readonly NewAuditRow[], from: number, to: number): SQLQueryBindings[] {
  const values: SQLQueryBindings[] = [];
  for (let at = from; at < to; at += 1) for (const name of names) values.push(rows[at]![name] ?? null);
  return values;
}

/** Among the oldest `most` entries, which have the lowest ids: an index by age would cost every entry. */
export async function deleteOldAudit(db: Db, before: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('audit_log')
    .where('id', 'in', (e) => e.selectFrom('audit_log').select('id').orderBy('id').limit(most))
    .where('created_at', '<', before)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
