import { type Db, engineOf } from '../../platform/db/tables.ts';
import { writerOfTimes } from '../../platform/db/write-times.ts';
import type { TokenRow } from './tables.ts';

export type FamilyKey = Pick<TokenRow, 'user_id' | 'application_id' | 'family'>;

/**
 * All pairs descending from one code. A concurrent rotation locks the family's last row, so the first update waits
 * without seeing the row it adds; therefore repeated until nothing is left to revoke.
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

/**
 * Whether an access token is not revoked; locked until the transaction ends, so that its revocation waits, and then finds
 * what was made with it.
 */
export async function holdAccess(tx: Db, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('oauth_tokens')
    .select('id')
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .where('access_revoked', '=', 0)
    .$if(engineOf(tx) === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  return row !== undefined;
}

/** Only the access token and what was exchanged for it; its refresh token stays. */
export async function revokeAccess(db: Db, { id, subject_id }: Pick<TokenRow, 'id' | 'subject_id'>): Promise<boolean> {
  const result = await db
    .updateTable('oauth_tokens')
    .set({ access_revoked: 1 })
    .where('id', '=', id)
    .where('access_revoked', '=', 0)
    .executeTakeFirst();
  // Direct exchanges of a user's token are checked together with it; those further on are revoked here. Afterwards,
  // since a concurrent exchange locks the row, and the next statement sees what it added.
  for (let parents = subject_id === null ? [] : [id]; parents.length > 0; ) {
    const children = await db
      .updateTable('oauth_tokens')
      .set({ access_revoked: 1 })
      .where('parent_id', 'in', parents)
      .returning('id')
      .execute();
    parents = children.map((row) => row.id);
  }
  return result.numUpdatedRows > 0n;
}

export const touchTokens = writerOfTimes('oauth_tokens', 'last_used_at');

/**
 * Deletes expired pairs among the next `most` after the id `after`. By id, since an index by age would cost every
 * refresh; `upTo` is where to continue, null at the end.
 */
export async function deleteExpiredTokens(
  db: Db,
  now: number,
  after: number,
  most: number,
): Promise<{ gone: number; upTo: number | null }> {
  const { last, n } = await db
    .selectFrom((e) =>
      e.selectFrom('oauth_tokens').select('id').where('id', '>', after).orderBy('id').limit(most).as('w'),
    )
    .select((e) => [e.fn.max<number | null>('id').as('last'), e.fn.countAll<number>().as('n')])
    .executeTakeFirstOrThrow();
  if (last === null) return { gone: 0, upTo: null };
  const result = await db
    .deleteFrom('oauth_tokens')
    .where('id', '>', after)
    .where('id', '<=', Number(last))
    .where('expires_at', '<=', now)
    // Its lifetime is an option of its own, and may be the longer one.
    .where('access_expires_at', '<=', now)
    .executeTakeFirst();
  return { gone: Number(result.numDeletedRows), upTo: Number(n) < most ? null : Number(last) };
}
