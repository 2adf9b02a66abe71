import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { TokenRow } from './tables.ts';

export type FamilyKey = Pick<TokenRow, 'user_id' | 'application_id' | 'family'>;

/**
 * Every pair that descends from one code. A rotation under way holds the family's last row, so the first update waits for
 * it without seeing the row it adds; hence again until nothing is left to revoke.
 */
export async function revokeFamily(db: Db, key: FamilyKey): Promise<number> {
  let revoked = 0;
  for (;;) {
    const result = await db
      .updateTable('oauth_tokens')
      .set({ revoked: 1 })
      .where('user_id', '=', key.user_id)
      .where('application_id', '=', key.application_id)
      .where('family', '=', key.family)
      .where('revoked', '=', 0)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return revoked;
    revoked += Number(result.numUpdatedRows);
  }
}

/** The access token alone; its refresh token stays. */
export async function revokeAccess(db: Db, id: number): Promise<boolean> {
  const result = await db
    .updateTable('oauth_tokens')
    .set({ access_revoked: 1 })
    .where('id', '=', id)
    .where('access_revoked', '=', 0)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** When each token was last used. */
export async function touchTokens(db: Db, seen: [id: number, time: number][]): Promise<void> {
  if (seen.length === 0) return;
  if (engineOf(db) === 'postgres') {
    const rows = sql.join(seen.map(([id, time]) => sql`(${id}::bigint, ${time}::bigint)`));
    await sql`update oauth_tokens set last_used_at = seen.at from (values ${rows}) as seen (id, at)
      where oauth_tokens.id = seen.id`.execute(db);
    return;
  }
  await db.transaction().execute(async (tx) => {
    for (const [id, time] of seen)
      await tx.updateTable('oauth_tokens').set({ last_used_at: time }).where('id', '=', id).execute();
  });
}

/** Pairs whose refresh token has run out; at most `most` at once, returns how many. */
export async function deleteExpiredTokens(db: Db, now: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_tokens')
    .where('id', 'in', (e) => e.selectFrom('oauth_tokens').select('id').where('expires_at', '<=', now).limit(most))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
