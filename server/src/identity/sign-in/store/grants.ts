import { resealing } from '../../../platform/db/reseal.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { updateRows } from '../../../platform/db/update-rows.ts';
import type { Account } from './identities.ts';

/* Sign-in grants for vouching at MCP servers: sealed, in the row of the external account, and so deleted with it. */

/** Of the last sign-in; removed if the provider no longer vouches. */
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

/** An external account whose provider vouches for it. */
export interface VouchedAccount {
  id: number;
  subject: string;
  sealed: string;
}

/** The most recently used one at a provider; null if there is none with a grant. */
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

/** False if it changed: another process was faster, or it has ended. */
export const replaceGrant = (db: Db, { id, sealed: before }: VouchedAccount, sealed: string): Promise<boolean> =>
  updateRows(db, 'user_identities', { id, grant_sealed: before }, { grant_sealed: sealed });

export async function dropGrants(db: Db, providerId: number): Promise<void> {
  for (const table of ['user_identities', 'sign_in_links'] as const)
    await db
      .updateTable(table)
      .set({ grant_sealed: '' })
      .where('provider_id', '=', providerId)
      .where('grant_sealed', '<>', '')
      .execute();
}

/** Pending links are not worth it. */
export const resealVouching = resealing('user_identities', ['id'], 'grant_sealed');
