import { type Insertable, sql, type Updateable } from 'kysely';
import { resealing } from '../../platform/db/reseal.ts';
import { all, statement } from '../../platform/db/statement.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import { statusNow } from './columns.ts';
import type { ApplicationRow } from './tables.ts';

export async function insertApplication(
  db: Db,
  application: Insertable<Tables['oauth_applications']>,
): Promise<ApplicationRow> {
  return db.insertInto('oauth_applications').values(application).returningAll().executeTakeFirstOrThrow();
}

type ApplicationKey = { id: number } | { client_id: string };

/** Deleted ones are not found. */
export async function findApplication(db: Db, key: ApplicationKey): Promise<ApplicationRow | null> {
  return (await find(db, key))?.row ?? null;
}

/** The same for OAuth flows, where the owner's status counts too. */
export async function findApplicationNow(db: Db, key: ApplicationKey): Promise<ApplicationRow | null> {
  const found = await find(db, key);
  return found && { ...found.row, status: found.statusNow };
}

async function find(db: Db, key: ApplicationKey): Promise<{ row: ApplicationRow; statusNow: number } | null> {
  const [query, named] = 'id' in key ? [byId, key.id] : [byClientId, key.client_id];
  const [found] = await all<ApplicationRow & { status_now: number }>(db, query, [named, applicationStatus.deleted]);
  if (!found) return null;
  const { status_now: statusNow, ...row } = found;
  return { row, statusNow };
}

const livingWhere = (column: string) =>
  statement(`select a.*, ${statusNow('a')} as status_now from oauth_applications a
    where a.${column} = $1 and a.status <> $2`);
const byId = livingWhere('id');
const byClientId = livingWhere('client_id');

export type ApplicationChange = Updateable<Tables['oauth_applications']>;

/** Also the version of a row: no two changes have the same, so that one within the same second is seen. */
const nextUpdate = (now: number) => sql<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end`;

/** With `version`, only if it has not changed since. */
export async function changeApplication(
  db: Db,
  id: number,
  { updated_at: now, ...change }: ApplicationChange,
  version?: number,
): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set({ ...change, ...(now !== undefined && { updated_at: nextUpdate(now) }) })
    .where('id', '=', id)
    .where('status', '<>', applicationStatus.deleted)
    .$if(version !== undefined, (rows) => rows.where('updated_at', '=', version!))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Only from active: of two concurrent suspensions one takes effect, and the epoch is incremented once. */
export async function suspendApplication(db: Db, id: number, now: number): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set((e) => ({ status: applicationStatus.suspended, epoch: e('epoch', '+', 1), updated_at: nextUpdate(now) }))
    .where('id', '=', id)
    .where('status', '=', applicationStatus.active)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function activateApplication(db: Db, id: number, now: number): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set({ status: applicationStatus.active, updated_at: nextUpdate(now) })
    .where('id', '=', id)
    .where('status', '=', applicationStatus.suspended)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export const resealWebhookSecrets = resealing('oauth_applications', ['id'], 'webhook_secret');

/** Including deleted ones, which the log refers to. */
export async function applicationNames(db: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await db.selectFrom('oauth_applications').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}

/**
 * Of all active applications: stored JSON arrays. Unregistered ones count once verified by an administrator, since
 * anyone can write a document.
 */
export async function redirectUrisInUse(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('oauth_applications')
    .select('redirect_uris')
    .where('status', '=', applicationStatus.active)
    .where((e) => e.or([e('owner_id', 'is not', null), e('is_verified', '=', 1)]))
    .execute();
  return rows.map((row) => row.redirect_uris);
}
