import type { Database } from 'bun:sqlite';
import { CompiledQuery, type Insertable } from 'kysely';
import { prepared } from '../../platform/db/prepared.ts';
import { execute } from '../../platform/db/statement.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import type { AuditRow } from './tables.ts';

export type NewAuditRow = Insertable<Tables['oauth_audit']>;

export interface AuditFilter {
  event_type?: string;
  application_id?: number;
  user_id?: number;
  from?: number;
  to?: number;
}

/** Rows with ids in (above, upTo]: the log is read in such steps, so that no single statement holds the process long. */
export interface Span {
  above: number;
  upTo: number;
}

const fields = {
  event_type: 'text',
  application_id: 'bigint',
  user_id: 'bigint',
  ip_address: 'text',
  user_agent: 'text',
  metadata: 'text',
  created_at: 'bigint',
};
const names = Object.keys(fields);
const into = `insert into oauth_audit (${names.join(', ')})`;
const typed = Object.entries(fields).map(([name, type]) => `${name} ${type}`);

/**
 * All rows as one parameter: a statement of the same text each time, whatever their number. By way of text, because Bun
 * would turn a parameter of type json into JSON once more.
 */
const insertRows = CompiledQuery.raw(
  `${into} select ${names.join(', ')} from json_to_recordset($1::text::json) as r (${typed})`,
);
/** Row by row in one transaction: SQLite takes twice as long to take rows out of JSON. */
const insertRow = `${into} values (${names.map(() => '?').join(', ')})`;

export interface AuditDeps {
  db: Db;
  /** One synchronous transaction on the writer; SQLite only. */
  writeSync?<T>(work: (writer: Database) => T): T | Promise<T>;
}

export async function insertAudit({ db, writeSync }: AuditDeps, rows: NewAuditRow[]): Promise<void> {
  if (!writeSync) {
    await execute(db, insertRows, [JSON.stringify(rows)]);
    return;
  }
  await writeSync((writer) => {
    const insert = prepared(writer, insertRow);
    for (const row of rows)
      insert.run(
        row.event_type,
        row.application_id ?? null,
        row.user_id ?? null,
        row.ip_address,
        row.user_agent,
        row.metadata,
        row.created_at,
      );
  });
}

export async function auditBounds(db: Db): Promise<{ first: number; last: number } | null> {
  const row = await db
    .selectFrom('oauth_audit')
    .select((e) => [e.fn.min<number | null>('id').as('first'), e.fn.max<number | null>('id').as('last')])
    .executeTakeFirst();
  return row && row.first !== null && row.last !== null ? { first: Number(row.first), last: Number(row.last) } : null;
}

const matching = (db: Db, filter: AuditFilter, span: Span) =>
  db
    .selectFrom('oauth_audit')
    .where('id', '>', span.above)
    .where('id', '<=', span.upTo)
    .$if(filter.event_type !== undefined, (query) => query.where('event_type', '=', filter.event_type!))
    .$if(filter.application_id !== undefined, (query) => query.where('application_id', '=', filter.application_id!))
    .$if(filter.user_id !== undefined, (query) => query.where('user_id', '=', filter.user_id!))
    .$if(filter.from !== undefined, (query) => query.where('created_at', '>=', filter.from!))
    .$if(filter.to !== undefined, (query) => query.where('created_at', '<=', filter.to!));

export async function countAudit(db: Db, filter: AuditFilter, span: Span): Promise<number> {
  const row = await matching(db, filter, span)
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Newest first. */
export async function readAudit(
  db: Db,
  filter: AuditFilter,
  span: Span,
  limit: number,
  offset: number,
): Promise<AuditRow[]> {
  return matching(db, filter, span).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

/** Of the oldest `most` entries, which have the lowest ids: an index by age would cost every entry. */
export async function deleteOldAudit(db: Db, before: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_audit')
    .where('id', 'in', (e) => e.selectFrom('oauth_audit').select('id').orderBy('id').limit(most))
    .where('created_at', '<', before)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
