import { all, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';

/*
 * Spending allowances of applications. Each is a row of the API keys, with a quota and allotments, but with a name
 * instead of a secret's hash: no secret leads to it.
 */

interface Allowance {
  /** Its lookup name; not in the form of a hash. */
  name: string;
  userId: number;
  application: { id: number; name: string };
  /** In quota units. */
  limit: number;
}

/** Null if there is none, or it has ended. */
export async function findAllowance(db: Db, name: string): Promise<number | null> {
  const open = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', name)
    .where('status', '=', 1)
    .executeTakeFirst();
  return open?.id ?? null;
}

/** Creates it if absent; concurrent callers get the same. */
export async function openAllowance(db: Db, allowance: Allowance, now: number): Promise<number> {
  const row = await db
    .insertInto('api_keys')
    .values({
      user_id: allowance.userId,
      application_id: allowance.application.id,
      name: allowance.application.name,
      key_hash: allowance.name,
      key_start: '',
      key_end: '',
      status: 1,
      created_time: now,
      accessed_time: 0,
      expired_time: -1,
      remain_quota: allowance.limit,
      unlimited_quota: 0,
      models: '[]',
      allowed_ips: '[]',
    })
    // One that ended with the application's suspension becomes valid again with a new consent.
    .onConflict((c) => c.column('key_hash').doUpdateSet({ status: 1 }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Locks the row of an allowance, which everything that takes from the quota needs. */
export const holdAllowance = statement('update api_keys set key_hash = key_hash where key_hash = $1 returning id');
/** The remainder becomes the new limit minus what was spent or is held. */
export const limitHeldAllowance = statement(`
  update api_keys set remain_quota = $1 - used_quota - cast(coalesce((select sum(p.kept + p.used)
    from billing_allotments p where p.user_id = api_keys.user_id and p.key_id = api_keys.id), 0) as bigint)
    - cast(coalesce((select sum(h.key_amount) from billing_holds h
      where h.owner = '' and h.key_id = api_keys.id and h.key_amount > 0), 0) as bigint)
  where id = $2`);

/** Null if none is open. In a transaction. */
export async function limitAllowance(tx: Db, name: string, limit: number): Promise<number | null> {
  const [row] = await all<{ id: number }>(tx, holdAllowance, [name]);
  if (!row) return null;
  await all(tx, limitHeldAllowance, [limit, row.id]);
  return row.id;
}

/** Of one user, or some of everybody's. The rows stay, since usage refers to them. */
export async function endAllowances(
  db: Db,
  applicationId: number,
  among: { userId: number } | { most: number },
): Promise<number[]> {
  const living = db
    .selectFrom('api_keys')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('status', '=', 1);
  const some = 'most' in among ? living.limit(among.most) : living.where('user_id', '=', among.userId);
  const rows = await db.updateTable('api_keys').set({ status: 2 }).where('id', 'in', some).returning('id').execute();
  return rows.map(({ id }) => id);
}

/** What was spent of each, by name; unopened ones are missing. */
export async function spentOf(db: Db, names: string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys_now')
    .select(['key_hash', 'used_quota'])
    .where('key_hash', 'in', names)
    .execute();
  return new Map(rows.map((row) => [row.key_hash, Number(row.used_quota)]));
}

/** Which of these keys are allowances, and of which application. */
export async function applicationsOfKeys(db: Db, keyIds: number[]): Promise<Map<number, { id: number; name: string }>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'application_id', 'name'])
    .where('id', 'in', keyIds)
    .where('application_id', 'is not', null)
    .execute();
  return new Map(rows.map((row) => [row.id, { id: row.application_id!, name: row.name }]));
}

/** Existing keys each application created for a user. */
export async function countMadeKeys(db: Db, userId: number, applicationIds: number[]): Promise<Map<number, number>> {
  if (applicationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys')
    .select((e) => ['made_by', e.fn.countAll<number>().as('n')])
    .where('user_id', '=', userId)
    .where('made_by', 'in', applicationIds)
    .groupBy('made_by')
    .execute();
  return new Map(rows.map(({ made_by, n }) => [made_by!, Number(n)]));
}

export async function deleteMadeKeys(db: Db, userId: number, applicationId: number): Promise<number[]> {
  const rows = await db
    .deleteFrom('api_keys')
    .where('user_id', '=', userId)
    .where('made_by', '=', applicationId)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}
