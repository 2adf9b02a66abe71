import { type Insertable, sql, type Updateable } from 'kysely';
import { countedPast, countUpTo } from '../../platform/db/pages.ts';
import { all, statement } from '../../platform/db/statement.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow } from './tables.ts';

export async function insertApplication(
  db: Db,
  application: Insertable<Tables['oauth_applications']>,
): Promise<ApplicationRow> {
  return db.insertInto('oauth_applications').values(application).returningAll().executeTakeFirstOrThrow();
}

/** Deleted ones are not found. */
export async function findApplication(
  db: Db,
  key: { id: number } | { client_id: string },
): Promise<ApplicationRow | null> {
  const [row] = await ('id' in key
    ? all<ApplicationRow>(db, byId, [key.id, applicationStatus.deleted])
    : all<ApplicationRow>(db, byClientId, [key.client_id, applicationStatus.deleted]));
  return row ?? null;
}

const byId = statement('select * from oauth_applications where id = $1 and status <> $2');
const byClientId = statement('select * from oauth_applications where client_id = $1 and status <> $2');

export type ApplicationChange = Updateable<Tables['oauth_applications']>;

export async function changeApplication(db: Db, id: number, change: ApplicationChange): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set(change)
    .where('id', '=', id)
    .where('status', '<>', applicationStatus.deleted)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Only from active: of two that suspend at once, one does, and the epoch is raised once. */
export async function suspendApplication(db: Db, id: number, now: number): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set((e) => ({ status: applicationStatus.suspended, epoch: e('epoch', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .where('status', '=', applicationStatus.active)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function activateApplication(db: Db, id: number, now: number): Promise<ApplicationRow | null> {
  const row = await db
    .updateTable('oauth_applications')
    .set({ status: applicationStatus.active, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', applicationStatus.suspended)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function listOwned(
  db: Db,
  ownerId: number,
  limit: number,
  offset: number,
): Promise<{ rows: ApplicationRow[]; total: number }> {
  const mine = db
    .selectFrom('oauth_applications')
    .where('owner_id', '=', ownerId)
    .where('status', '<>', applicationStatus.deleted);
  const [rows, count] = await Promise.all([
    mine.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
    mine.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(count.n) };
}

export type WithOwner = ApplicationRow & { owner_username: string };

export async function listAll(
  db: Db,
  filter: { q: string; status?: number },
  limit: number,
  offset: number,
): Promise<{ rows: WithOwner[]; total: number }> {
  const pattern = `%${filter.q.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const matching = db
    .selectFrom('oauth_applications as a')
    .innerJoin('users as u', 'u.id', 'a.owner_id')
    .where('a.status', '<>', applicationStatus.deleted)
    .$if(filter.status !== undefined, (query) => query.where('a.status', '=', filter.status!))
    .$if(filter.q !== '', (query) =>
      query.where((e) =>
        e.or([
          // SQLite knows no escape character unless told.
          sql<boolean>`lower(a.name) like ${pattern} escape '\\'`,
          sql<boolean>`lower(u.username) like ${pattern} escape '\\'`,
          e('a.client_id', '=', filter.q),
        ]),
      ),
    );
  const newest = matching.orderBy('a.id', 'desc');
  const [rows, total] = await Promise.all([
    newest.selectAll('a').select('u.username as owner_username').limit(limit).offset(offset).execute(),
    countUpTo(db, newest.select('a.id'), offset + limit + countedPast),
  ]);
  return { rows, total };
}

/** Puts every webhook secret under the first sealing key; returns how many were changed. */
export async function resealWebhookSecrets(db: Db, reseal: (sealed: string) => string): Promise<number> {
  return db.transaction().execute(async (tx) => {
    let changed = 0;
    for (const { id, webhook_secret } of await tx
      .selectFrom('oauth_applications')
      .select(['id', 'webhook_secret'])
      .execute()) {
      const sealed = webhook_secret === '' ? '' : reseal(webhook_secret);
      if (sealed === webhook_secret) continue;
      await tx.updateTable('oauth_applications').set({ webhook_secret: sealed }).where('id', '=', id).execute();
      changed += 1;
    }
    return changed;
  });
}

/** Deleted ones too: the log speaks of them. */
export async function applicationNames(db: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await db.selectFrom('oauth_applications').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}
