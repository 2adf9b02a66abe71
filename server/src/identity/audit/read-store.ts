import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { AuditRow } from './tables.ts';

export interface AuditFilter {
  /** Any of these. */
  actions?: readonly string[];
  actorId?: number;
  target?: { type: string; id: number };
  /** An id, or part of a name. */
  actorText?: string;
  targetText?: string;
  from?: number;
  to?: number;
}

/** Rows with ids in (above, upTo]: the log is read in such steps, so that no single statement holds the process long. */
export interface Span {
  above: number;
  upTo: number;
}

export async function auditBounds(db: Db): Promise<{ first: number; last: number } | null> {
  const row = await db
    .selectFrom('audit_log')
    .select((e) => [e.fn.min<number | null>('id').as('first'), e.fn.max<number | null>('id').as('last')])
    .executeTakeFirst();
  return row && row.first !== null && row.last !== null ? { first: Number(row.first), last: Number(row.last) } : null;
}

/** SQLite knows no escape character unless told. */
const like = (column: string, text: string) =>
  sql<boolean>`lower(${sql.ref(column)}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`;
const userCalled = (idColumn: string, text: string) =>
  sql<boolean>`exists (select 1 from users where users.id = ${sql.ref(idColumn)} and ${like('users.username', text)})`;
const idOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : -1);

const actorIs = (text: string): Expression<SqlBool> =>
  sql`(actor_id = ${idOf(text)} or ${like('actor_name', text)} or ${userCalled('actor_id', text)})`;
const targetIs = (text: string): Expression<SqlBool> =>
  sql`(target_id = ${idOf(text)} or ${like('target_name', text)}
    or (target_type = 'user' and ${userCalled('target_id', text)}))`;

const matching = (db: Db, filter: AuditFilter, span: Span) =>
  db
    .selectFrom('audit_log')
    .where('audit_log.id', '>', span.above)
    .where('audit_log.id', '<=', span.upTo)
    .$if(filter.actions !== undefined, (query) => query.where('action', 'in', filter.actions!))
    .$if(filter.actorId !== undefined, (query) => query.where('actor_id', '=', filter.actorId!))
    .$if(filter.target !== undefined, (query) =>
      query.where('target_type', '=', filter.target!.type).where('target_id', '=', filter.target!.id),
    )
    .$if(Boolean(filter.actorText), (query) => query.where(actorIs(filter.actorText!)))
    .$if(Boolean(filter.targetText), (query) => query.where(targetIs(filter.targetText!)))
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

/** The names of users among actors and targets. */
export async function userNames(db: Db, rows: AuditRow[]): Promise<Map<number, string>> {
  const ids = new Set<number>();
  for (const row of rows) {
    if (row.actor_id !== null) ids.add(row.actor_id);
    if (row.target_type === 'user' && row.target_id !== null) ids.add(row.target_id);
  }
  if (ids.size === 0) return new Map();
  const users = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(users.map((user) => [user.id, user.username]));
}
