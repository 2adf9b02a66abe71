import type { SQLQueryBindings } from 'bun:sqlite';
import { CompiledQuery } from 'kysely';
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
/** Row by row in one transaction: SQLite takes twice as long to extract rows from JSON. */
const insertRow = `${into} values (${names.map(() => '?').join(', ')})`;

export async function insertAudit(db: Db, rows: NewAuditRow[]): Promise<void> {
  if (engineOf(db) === 'postgres') await execute(db, insertRows, [JSON.stringify(rows)]);
  else
    await writeSync(db, (writer) => {
      const insert = prepared(writer, insertRow);
      const values: SQLQueryBindings[] = [];
      for (const row of rows) {
        for (let at = 0; at < names.length; at += 1) values[at] = row[names[at]!] ?? null;
        insert.run(...values);
      }
    });
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
