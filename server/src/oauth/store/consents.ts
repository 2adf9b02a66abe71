import { deleteRows, deletingOf, deletingPast } from '../../platform/db/delete-rows.ts';
import { pageOfFew, type Range } from '../../platform/db/list-page.ts';
import { all, statement } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow, ConsentRow } from './tables.ts';

export const consentOf = statement('select * from oauth_consents where user_id = $1 and application_id = $2');

export async function findConsent(db: Db, userId: number, applicationId: number): Promise<ConsentRow | null> {
  const [row] = await all<ConsentRow>(db, consentOf, [userId, applicationId]);
  return row ?? null;
}

/**
 * Deletes the consent and everything granted by it; null if there was none. In this order: a concurrent approval,
 * exchange or refresh locks the consent, the code or the family's last token, so each step waits for it and the next
 * sees what it added. `also` runs at the end of the transaction.
 */
export async function deleteGrant<T>(
  db: Db,
  userId: number,
  applicationId: number,
  also: (tx: Db) => Promise<T>,
): Promise<{ scopes: string; also: T } | null> {
  return db.transaction().execute(async (tx) => {
    const consent = await tx
      .deleteFrom('oauth_consents')
      .where('user_id', '=', userId)
      .where('application_id', '=', applicationId)
      .returning('scopes')
      .executeTakeFirst();
    if (!consent) return null;
    await deleteRows(tx, 'oauth_codes', { user_id: userId, application_id: applicationId });
    await deleteRows(tx, 'oauth_device_codes', { user_id: userId, application_id: applicationId });
    while (await deleteRows(tx, 'oauth_tokens', { user_id: userId, application_id: applicationId }));
    await deleteOrphans(tx, userId);
    return { ...consent, also: await also(tx) };
  });
}

/** Tokens exchanged for deleted ones, recursively. */
async function deleteOrphans(tx: Db, userId: number): Promise<void> {
  for (;;) {
    const gone = await tx
      .deleteFrom('oauth_tokens')
      .where('user_id', '=', userId)
      .where('parent_id', 'is not', null)
      .where((e) =>
        e.not(
          e.exists(e.selectFrom('oauth_tokens as p').select('p.id').whereRef('p.id', '=', 'oauth_tokens.parent_id')),
        ),
      )
      .executeTakeFirst();
    if (gone.numDeletedRows === 0n) return;
  }
}

/** Locked until the transaction ends. */
export async function holdConsent(tx: Db, userId: number, applicationId: number): Promise<ConsentRow | null> {
  const row = await tx
    .selectFrom('oauth_consents')
    .selectAll()
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .$if(engineOf(tx) === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Whether the application is unchanged since the user agreed; locked too, so that it cannot be suspended or deleted
 * meanwhile.
 */
export async function holdAgreedApplication(
  tx: Db,
  { application_id, epoch }: Pick<ConsentRow, 'application_id' | 'epoch'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('oauth_applications')
    .select('id')
    .where('id', '=', application_id)
    .where('epoch', '=', epoch)
    .where('status', '=', applicationStatus.active)
    .$if(engineOf(tx) === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  return row !== undefined;
}

export async function setSpending(
  tx: Db,
  id: number,
  spending: Pick<ConsentRow, 'spending_limit' | 'spending_window'>,
): Promise<void> {
  await tx.updateTable('oauth_consents').set(spending).where('id', '=', id).execute();
}

export type ListedConsent = ConsentRow &
  Pick<ApplicationRow, 'name' | 'description' | 'logo_url' | 'homepage_url' | 'is_verified' | 'source' | 'client_id'>;

export function listConsents(db: Db, userId: number, range: Range): Promise<{ rows: ListedConsent[]; total: number }> {
  const mine = db
    .selectFrom('oauth_consents as c')
    .innerJoin('oauth_applications as a', 'a.id', 'c.application_id')
    .selectAll('c')
    .select(['a.name', 'a.description', 'a.logo_url', 'a.homepage_url', 'a.is_verified'])
    .select(['a.source', 'a.client_id'])
    .where('c.user_id', '=', userId)
    .where('a.status', '<>', applicationStatus.deleted)
    .orderBy('c.updated_at', 'desc')
    .orderBy('c.id', 'desc');
  return pageOfFew(mine, range);
}

export const deleteConsentsOf = deletingOf('oauth_consents', 'id', 'application_id');

export const deleteOldCodes = deletingPast('oauth_codes', 'id', 'expires_at');
