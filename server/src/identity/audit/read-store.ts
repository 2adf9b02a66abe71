import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { usersCalled } from '../store/names.ts';
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

/** An entry after which to go on, newest first. */
export type AuditPlace = Pick<AuditRow, 'id' | 'created_at'>;

type Conditions = Expression<SqlBool>[];

/** Whoever searches for a part of a name that more users have is shown the entries of these. */
const mostUsers = 50;
const idOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : -1);

/** SQLite knows no escape character unless told. */
const like = (column: string, text: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`;

function plainConditions({ actions, actorId, target, from, to }: AuditFilter, before?: AuditPlace): Conditions {
  const conditions: Conditions = [];
  if (actions) conditions.push(sql<SqlBool>`action in (${sql.join(actions)})`);
  if (actorId !== undefined) conditions.push(sql<SqlBool>`actor_id = ${actorId}`);
  if (target) conditions.push(sql<SqlBool>`target_type = ${target.type} and target_id = ${target.id}`);
  if (from !== undefined) conditions.push(sql<SqlBool>`created_at >= ${from}`);
  const upTo = Math.min(to ?? Number.MAX_SAFE_INTEGER, before?.created_at ?? Number.MAX_SAFE_INTEGER);
  if (upTo < Number.MAX_SAFE_INTEGER) conditions.push(sql<SqlBool>`created_at <= ${upTo}`);
  if (before) conditions.push(sql<SqlBool>`(created_at < ${before.created_at} or id < ${before.id})`);
  return conditions;
}

export async function targetCondition(db: Db, text: string): Promise<Expression<SqlBool>> {
  const users = await usersCalled(db, text, mostUsers, ['username']);
  return sql`(target_id = ${idOf(text)} or ${like('target_name', text)}
    or (target_type = 'user' and target_id in (${sql.join([-1, ...users])})))`;
}

/**
 * What is asked for, in parts that are each in order in some index and have nothing in common: any of several actions or
 * actors would otherwise be put in order by hand, all of them.
 */
async function partsOf(db: Db, { actions, actorText, ...filter }: AuditFilter): Promise<Conditions[]> {
  if (actorText) {
    const users = new Set([idOf(actorText), ...(await usersCalled(db, actorText, mostUsers, ['username']))]);
    const also = actions ? [sql<SqlBool>`action in (${sql.join(actions)})`] : [];
    return [
      ...[...users].map((id) => [sql<SqlBool>`actor_id = ${id}`, ...also]),
      [sql<SqlBool>`actor_name <> ''`, like('actor_name', actorText), ...also],
    ];
  }
  if (!actions) return [[]];
  // Few entries have the actor or target that is asked for, and those are in order.
  if (filter.actorId !== undefined || filter.target) return [[sql<SqlBool>`action in (${sql.join(actions)})`]];
  return actions.map((action) => [sql<SqlBool>`action = ${action}`]);
}

const ordered = (db: Db, conditions: Conditions) =>
  db
    .selectFrom('audit_log')
    .where((e) => e.and(conditions))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');

interface Range {
  limit: number;
  offset?: number;
  before?: AuditPlace | undefined;
}

/** Newest first, by everything but part of a target's name, for which there is no index. */
async function newest(
  db: Db,
  filter: AuditFilter,
  { limit, offset = 0, before }: Range,
): Promise<RawBuilder<AuditRow>> {
  const common = plainConditions({ ...filter, actions: undefined }, before);
  const each = (await partsOf(db, filter)).map((part) => {
    const some = ordered(db, [...part, ...common]).selectAll();
    return sql`select * from ${some.limit(offset + limit)} as part`;
  });
  return sql<AuditRow>`${sql.join(each, sql` union all `)} order by created_at desc, id desc limit ${limit} offset ${offset}`;
}

export async function readAudit(db: Db, filter: AuditFilter, range: Range): Promise<AuditRow[]> {
  return (await (await newest(db, filter, range)).execute(db)).rows;
}

export async function countAudit(db: Db, filter: AuditFilter, most: number): Promise<number> {
  const some = await newest(db, filter, { limit: most });
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${some}) as counted`.execute(db);
  return Number(rows[0]!.n);
}

/** What has such a target among the next `looked` entries, and the last of these; null when there are no more. */
export async function lookThrough(
  db: Db,
  filter: AuditFilter,
  hasTarget: Expression<SqlBool>,
  looked: number,
  before: AuditPlace | undefined,
): Promise<{ rows: AuditRow[]; last: AuditPlace } | null> {
  const next = await newest(db, filter, { limit: looked, before });
  const ends =
    await sql<AuditPlace>`select id, created_at from (${next}) as next order by created_at, id limit 1`.execute(db);
  if (!ends.rows[0]) return null;
  const { rows } = await sql<AuditRow>`select * from (${next}) as next where ${hasTarget}
    order by created_at desc, id desc`.execute(db);
  return { rows, last: ends.rows[0] };
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
