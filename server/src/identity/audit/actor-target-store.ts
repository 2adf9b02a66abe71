import { type Expression, type SqlBool, sql } from 'kysely';
import { idsByName, type NamedTable } from '../../platform/db/names.ts';
import type { Db } from '../../platform/db/tables.ts';
import { accountsCalled } from '../store/names.ts';
import './tables.ts';

/* Resolves an id or part of a name to disjoint parts of the log, each ordered by an index. */

export type Conditions = Expression<SqlBool>[];

/** Users considered when searching by part of a name. */
const mostUsers = 50;
/** Targets considered; with more, entries are scanned, since the text is common. */
const mostTargets = 50;

const idOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : -1);

/** SQLite has no default escape character. */
const like = (column: string, text: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`;

export async function actorParts(db: Db, text: string): Promise<Conditions[]> {
  const users = new Set([idOf(text), ...(await accountsCalled(db, text, mostUsers))]);
  return [
    ...[...users].map((id) => [sql<SqlBool>`actor_id = ${id}`]),
    [sql<SqlBool>`actor_name <> ''`, like('actor_name', text)],
  ];
}

const named: NamedTable = { table: 'audit_targets', index: 'audit_targets_called', columns: ['target_name'] };

const isTarget = (type: string, id: number): Expression<SqlBool> =>
  sql<SqlBool>`target_type = ${type} and target_id = ${id}`;

/** Null if many targets have the name. */
export async function targetParts(db: Db, text: string): Promise<Conditions[] | null> {
  const found = await idsByName(db, named, { text, most: mostTargets + 1 });
  if (found.length > mostTargets) return null;
  const id = idOf(text);
  const users = (await accountsCalled(db, text, mostUsers)).filter((user) => user !== id);
  const types = id < 0 ? [] : await targetTypes(db);
  const taken = new Set(users.map((user) => `user ${user}`));
  const targets = found.length === 0 ? [] : await targetsOf(db, found);
  return [
    ...types.map((type) => [isTarget(type, id)]),
    ...users.map((user) => [isTarget('user', user)]),
    ...targets
      .filter((one) => (id <= 0 || one.target_id !== id) && !taken.has(`${one.target_type} ${one.target_id}`))
      .map((one) => [
        one.target_id === 0
          ? sql<SqlBool>`target_type = ${one.target_type} and target_id is null`
          : isTarget(one.target_type, one.target_id),
        sql<SqlBool>`target_name = ${one.target_name}`,
      ]),
  ];
}

const targetsOf = (db: Db, ids: number[]) =>
  db.selectFrom('audit_targets').selectAll().where('id', 'in', ids).execute();

/** Target types, by one index step each. */
async function targetTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string | null }>`with recursive kinds (type) as (
      select min(target_type) from audit_log
      union all select (select min(target_type) from audit_log where target_type > kinds.type) from kinds
        where kinds.type is not null)
    select type from kinds`.execute(db);
  return rows.flatMap(({ type }) => type ?? []);
}

/** A condition for scanning. */
export async function targetCondition(db: Db, text: string): Promise<Expression<SqlBool>> {
  const users = await accountsCalled(db, text, mostUsers);
  return sql`(target_id = ${idOf(text)} or ${like('target_name', text)}
    or (target_type = 'user' and target_id in (${sql.join([-1, ...users])})))`;
}
