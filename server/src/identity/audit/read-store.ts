import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { accountNamesOf } from '../store/names.ts';
import { actorParts, type Conditions, targetCondition, targetParts } from './actor-target-store.ts';
import type { AuditRow } from './tables.ts';

export interface AuditFilter {
  /** Any of these. */
  actions?: readonly string[];
  actorId?: number;
  target?: { type: string; id: number };
  /** What this user did, and what was done to the account. */
  aboutUser?: number | undefined;
  /** An id, or part of a name. */
  actorText?: string;
  targetText?: string;
  from?: number;
  to?: number;
}

/** The entry to continue after, newest first. */
export type AuditPlace = Pick<AuditRow, 'id' | 'created_at'>;

/** A filter with names resolved. */
export interface AuditSearch {
  /**
   * Disjoint parts, each ordered by some index: a condition with several actions or actors would otherwise have to be
   * sorted.
   */
  parts: Conditions[];
  /** Conditions on all parts. */
  common: Conditions;
  /** A condition without an index: entries are scanned. */
  compared?: Conditions[number];
}

export async function searchOf(db: Db, filter: AuditFilter): Promise<AuditSearch> {
  const { actions, actorId, actorText, target, targetText, aboutUser, from, to } = filter;
  const anyAction = actions ? [sql<SqlBool>`action in (${sql.join(actions)})`] : [];
  const common: Conditions = [];
  if (actorId !== undefined) common.push(sql<SqlBool>`actor_id = ${actorId}`);
  if (target) common.push(sql<SqlBool>`target_type = ${target.type} and target_id = ${target.id}`);
  if (from !== undefined) common.push(sql<SqlBool>`created_at >= ${from}`);
  if (to !== undefined) common.push(sql<SqlBool>`created_at <= ${to}`);
  const targets = targetText && !actorText && aboutUser === undefined ? await targetParts(db, targetText) : null;
  if (targets) return { parts: targets, common: [...common, ...anyAction] };
  const compared = targetText ? await targetCondition(db, targetText) : undefined;
  if (aboutUser !== undefined) {
    const byActor = actorText ? [anyOf(await actorParts(db, actorText))] : [];
    return { parts: partsOfUser(aboutUser), common: [...common, ...anyAction, ...byActor], compared };
  }
  if (actorText) return { parts: await actorParts(db, actorText), common: [...common, ...anyAction], compared };
  // Few entries match the given actor or target, and those are ordered.
  if (!actions || actorId !== undefined || target) return { parts: [[]], common: [...common, ...anyAction], compared };
  return { parts: actions.map((action) => [sql<SqlBool>`action = ${action}`]), common, compared };
}

const anyOf = (parts: Conditions[]): Conditions[number] =>
  sql<SqlBool>`(${sql.join(
    parts.map((part) => sql`(${sql.join(part, sql` and `)})`),
    sql` or `,
  )})`;

/** Each ordered by an index, and disjoint. */
const partsOfUser = (id: number): Conditions[] => [
  [sql<SqlBool>`actor_id = ${id}`],
  [sql<SqlBool>`target_type = 'user' and target_id = ${id}`, sql<SqlBool>`(actor_id is null or actor_id <> ${id})`],
];

interface Range {
  limit: number;
  offset?: number;
  before?: AuditPlace | undefined;
}

/** Positions of the newest `limit` entries of each part, from the index alone. */
function placesOf(db: Db, { parts, common }: AuditSearch, limit: number, before?: AuditPlace): RawBuilder<unknown> {
  const further = before
    ? [
        sql<SqlBool>`created_at <= ${before.created_at}`,
        sql<SqlBool>`(created_at < ${before.created_at} or id < ${before.id})`,
      ]
    : [];
  const each = parts.map((part) => {
    const some = db
      .selectFrom('audit_log')
      .select(['id', 'created_at'])
      .where((e) => e.and([...part, ...common, ...further]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
    return sql`select id, created_at from ${some.limit(limit)} as part`;
  });
  return sql`${sql.join(each, sql` union all `)}`;
}

const newestOf = (places: RawBuilder<unknown>, limit: number, offset = 0) =>
  sql`${places} order by created_at desc, id desc limit ${limit} offset ${offset}`;

/** Newest first. */
export async function readAudit(db: Db, search: AuditSearch, range: Range): Promise<AuditRow[]> {
  const { limit, offset = 0, before } = range;
  if (search.parts.length === 0) return [];
  const places = newestOf(placesOf(db, search, offset + limit, before), limit, offset);
  const { rows } = await sql<AuditRow>`select * from audit_log where id in (select id from (${places}) as next)
    order by created_at desc, id desc`.execute(db);
  return rows;
}

export async function countAudit(db: Db, search: AuditSearch, most: number): Promise<number> {
  if (search.parts.length === 0) return 0;
  const { rows } = await sql<{ n: number }>`select count(*) as n from
    (select id from (${placesOf(db, search, most)}) as next limit ${most}) as counted`.execute(db);
  return Number(rows[0]!.n);
}

/** Matches among the next `looked` entries, and the last position scanned; null at the end. */
export async function lookThrough(
  db: Db,
  search: AuditSearch,
  looked: number,
  before: AuditPlace | undefined,
): Promise<{ rows: AuditRow[]; last: AuditPlace; looked: number } | null> {
  const rows = await readAudit(db, search, { limit: looked, before });
  const last = rows.at(-1);
  if (!last) return null;
  const ids = sql`id in (${sql.join(rows.map(({ id }) => id))})`;
  const found = await sql<{ id: number }>`select id from audit_log where ${ids} and ${search.compared}`.execute(db);
  const matching = new Set(found.rows.map(({ id }) => id));
  return { rows: rows.filter(({ id }) => matching.has(id)), last, looked: rows.length };
}

/** Names of users among actors and targets. */
export function accountsIn(db: Db, rows: AuditRow[]): Promise<Map<number, string>> {
  const ids = new Set<number>();
  for (const row of rows) {
    if (row.actor_id !== null) ids.add(row.actor_id);
    if (row.target_type === 'user' && row.target_id !== null) ids.add(row.target_id);
  }
  return accountNamesOf(db, ids);
}
