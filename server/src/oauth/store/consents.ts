import { CompiledQuery } from 'kysely';
import { all, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow, CodeRow, ConsentRow } from './tables.ts';

const consentOf = statement('select * from oauth_consents where user_id = $1 and application_id = $2');

export async function findConsent(db: Db, userId: number, applicationId: number): Promise<ConsentRow | null> {
  const [row] = await all<ConsentRow>(db, consentOf, [userId, applicationId]);
  return row ?? null;
}

export type NewCode = Omit<CodeRow, 'id' | 'used_at'>;
type Merge = (existing: Pick<ConsentRow, 'scopes' | 'epoch'> | null) => string;

const addConsent =
  statement(`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $5) on conflict (user_id, application_id) do nothing returning id`);
const addCode = statement(`insert into oauth_codes (code_hash, application_id, user_id, redirect_uri, scope, state,
  code_challenge, code_challenge_method, epoch, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);

/** Writes the consent and the code it allows, both or neither; `merge` says what the consent holds afterwards. */
export async function grantCode(db: Db, code: NewCode, merge: Merge): Promise<void> {
  const { user_id, application_id, epoch, created_at } = code;
  await db.transaction().execute(async (tx) => {
    const added = await all(tx, addConsent, [user_id, application_id, merge(null), epoch, created_at]);
    if (added.length === 0) await widen(tx, code, merge);
    await all(tx, addCode, [
      code.code_hash,
      application_id,
      user_id,
      code.redirect_uri,
      code.scope,
      code.state,
      code.code_challenge,
      code.code_challenge_method,
      epoch,
      created_at,
      code.expires_at,
    ]);
  });
}

/** Two approvals at once must not each forget what the other added: PostgreSQL holds the row, SQLite has one writer. */
const heldConsent = {
  postgres: CompiledQuery.raw(`${consentOf.postgres.sql} for update`),
  sqlite: consentOf.sqlite,
};

async function widen(tx: Db, code: NewCode, merge: Merge): Promise<void> {
  const [existing] = await all<ConsentRow>(tx, heldConsent, [code.user_id, code.application_id]);
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
