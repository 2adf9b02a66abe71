import type { Insertable } from 'kysely';
import { type Db, engineOf, type Tables } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow, ConsentRow } from './tables.ts';

export async function findConsent(db: Db, userId: number, applicationId: number): Promise<ConsentRow | null> {
  const row = await db
    .selectFrom('oauth_consents')
    .selectAll()
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return row ?? null;
}

export type NewCode = Insertable<Tables['oauth_codes']>;

/** Writes the consent and the code it allows, both or neither; `merge` says what the consent holds afterwards. */
export async function grantCode(
  db: Db,
  code: NewCode,
  merge: (existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null) => string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const added = await tx
      .insertInto('oauth_consents')
      .values({
        user_id: code.user_id,
        application_id: code.application_id,
        scopes: merge(null),
        epoch: code.epoch,
        created_at: code.created_at,
        updated_at: code.created_at,
      })
      .onConflict((c) => c.columns(['user_id', 'application_id']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!added) await widen(tx, code, merge);
    await tx.insertInto('oauth_codes').values(code).execute();
  });
}

async function widen(tx: Db, code: NewCode, merge: Parameters<typeof grantCode>[2]): Promise<void> {
  const existing = await tx
    .selectFrom('oauth_consents')
    .select(['id', 'scopes', 'epoch'])
    .where('user_id', '=', code.user_id)
    .where('application_id', '=', code.application_id)
    // Two approvals at once must not each forget what the other added.
    .$if(engineOf(tx) === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!existing) return;
  const scopes = merge(existing);
  if (scopes === existing.scopes && existing.epoch === code.epoch) return;
  await tx
    .updateTable('oauth_consents')
    .set({ scopes, epoch: code.epoch, updated_at: code.created_at })
    .where('id', '=', existing.id)
    .execute();
}

/**
 * Takes away the consent and everything given by it; null when there was none. In this order: an approval, an exchange or
 * a refresh under way holds the consent, the code or the family's last token, so each step waits for it and the next sees
 * what it added.
 */
export async function deleteGrant(db: Db, userId: number, applicationId: number): Promise<{ scopes: string } | null> {
  return db.transaction().execute(async (tx) => {
    const consent = await tx
      .deleteFrom('oauth_consents')
      .where('user_id', '=', userId)
      .where('application_id', '=', applicationId)
      .returning('scopes')
      .executeTakeFirst();
    if (!consent) return null;
    await tx
      .deleteFrom('oauth_codes')
      .where('user_id', '=', userId)
      .where('application_id', '=', applicationId)
      .execute();
    for (;;) {
      const gone = await tx
        .deleteFrom('oauth_tokens')
        .where('user_id', '=', userId)
        .where('application_id', '=', applicationId)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return consent;
    }
  });
}

export type ListedConsent = ConsentRow &
  Pick<ApplicationRow, 'name' | 'description' | 'logo_url' | 'homepage_url' | 'is_verified'>;

export async function listConsents(
  db: Db,
  userId: number,
  limit: number,
  offset: number,
): Promise<{ rows: ListedConsent[]; total: number }> {
  const mine = db
    .selectFrom('oauth_consents as c')
    .innerJoin('oauth_applications as a', 'a.id', 'c.application_id')
    .where('c.user_id', '=', userId)
    .where('a.status', '<>', applicationStatus.deleted);
  const [rows, count] = await Promise.all([
    mine
      .selectAll('c')
      .select(['a.name', 'a.description', 'a.logo_url', 'a.homepage_url', 'a.is_verified'])
      .orderBy('c.updated_at', 'desc')
      .orderBy('c.id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute(),
    mine.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(count.n) };
}

export async function deleteConsentsOf(db: Db, applicationId: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_consents')
    .where('id', 'in', (e) =>
      e.selectFrom('oauth_consents').select('id').where('application_id', '=', applicationId).limit(most),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export async function deleteOldCodes(db: Db, before: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_codes')
    .where('id', 'in', (e) => e.selectFrom('oauth_codes').select('id').where('expires_at', '<=', before).limit(most))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
