import { resealing } from '../../../platform/db/reseal.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { Account } from './identities.ts';

/*
 * What is kept of sign-ins, so that a provider vouches for its people at MCP servers: sealed, in the row of the account that it is
 * of, and so gone with it.
 */

/** Of the account's last sign-in; nothing is kept where the provider vouches no more. */
export async function keepGrant(db: Db, account: Account, sealed: string): Promise<void> {
  await db
    .updateTable('user_identities')
    .set({ grant_sealed: sealed })
    .where('provider_id', '=', account.provider_id)
    .where('issuer', '=', account.issuer)
    .where('subject', '=', account.subject)
    .where('provider_id', 'in', (e) => e.selectFrom('identity_providers').select('id').where('vouches', '=', 1))
    .execute();
}

/** An account that a provider vouches for. */
export interface VouchedAccount {
  id: number;
  subject: string;
  sealed: string;
}

/** Of several at one provider, the one last used; null where there is none that anything was kept of. */
export async function findVouched(db: Db, providerId: number, userId: number): Promise<VouchedAccount | null> {
  const row = await db
    .selectFrom('user_identities as i')
    .innerJoin('identity_providers as p', (join) =>
      join.onRef('p.id', '=', 'i.provider_id').onRef('p.issuer', '=', 'i.issuer'),
    )
    .select(['i.id', 'i.subject', 'i.grant_sealed as sealed'])
    .where('p.id', '=', providerId)
    .where('p.enabled', '=', 1)
    .where('p.vouches', '=', 1)
    .where('i.user_id', '=', userId)
    .where('i.grant_sealed', '<>', '')
    .orderBy('i.last_used_at', 'desc')
    .orderBy('i.id', 'desc')
    .executeTakeFirst();
  return row ?? null;
}

/** False when it is not what it was: another process was quicker, or it has ended. */
export async function replaceGrant(db: Db, { id, sealed: before }: VouchedAccount, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_identities')
    .set({ grant_sealed: sealed })
    .where('id', '=', id)
    .where('grant_sealed', '=', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function dropGrants(db: Db, providerId: number): Promise<void> {
  for (const table of ['user_identities', 'sign_in_links'] as const)
    await db
      .updateTable(table)
      .set({ grant_sealed: '' })
      .where('provider_id', '=', providerId)
      .where('grant_sealed', '<>', '')
      .execute();
}

/** What waits for an answer is not worth it. */
export const resealVouching = resealing('user_identities', ['id'], 'grant_sealed');
