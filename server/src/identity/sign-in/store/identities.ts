import type { Selectable } from 'kysely';
import { findRow } from '../../../platform/db/find-row.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { isTaken } from '../../../platform/durable/errors.ts';
import { hasPassword } from '../../passwords.ts';
import { insertUser, type NewUser, toUser, type UserRow } from '../../store/users.ts';
import { roles, type User } from '../../user.ts';
import type { LinkRow } from './attempts.ts';
import type { UserIdentitiesTable } from './tables.ts';

export type IdentityRow = Selectable<UserIdentitiesTable>;
export type NewIdentity = Omit<IdentityRow, 'id' | 'grant_sealed'>;
/** An external account at a provider. */
export type Account = Pick<IdentityRow, 'provider_id' | 'issuer' | 'subject'>;

export const findIdentity = (db: Db, account: Account): Promise<IdentityRow | null> =>
  findRow(db, 'user_identities', {
    provider_id: account.provider_id,
    issuer: account.issuer,
    subject: account.subject,
  });

export async function touchIdentity(db: Db, id: number, label: string, now: number): Promise<void> {
  await db.updateTable('user_identities').set({ label, last_used_at: now }).where('id', '=', id).execute();
}

export type ShownIdentity = Pick<IdentityRow, 'id' | 'label' | 'created_at' | 'last_used_at'> & {
  slug: string;
  name: string;
  enabled: number;
  vouches: number;
};

export async function identitiesOf(db: Db, userId: number): Promise<ShownIdentity[]> {
  return (
    db
      .selectFrom('user_identities as i')
      .innerJoin('identity_providers as p', 'p.id', 'i.provider_id')
      .select(['i.id', 'i.label', 'i.created_at', 'i.last_used_at', 'p.slug', 'p.name', 'p.enabled'])
      // Whether there is a grant, not the grant.
      .select((e) => e.case().when('i.grant_sealed', '<>', '').then(1).else(0).end().as('vouches'))
      .where('i.user_id', '=', userId)
      .orderBy('i.id')
      .limit(200)
      .execute()
  );
}

/** Null if it is connected to a user already. */
export async function insertIdentity(db: Db, identity: NewIdentity): Promise<IdentityRow | null> {
  const row = await db
    .insertInto('user_identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['provider_id', 'issuer', 'subject']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Turns the pending link into an identity, once; null if it was used, expired, or the account is connected. */
export async function takeLink(db: Db, link: LinkRow, now: number): Promise<IdentityRow | null> {
  return db.transaction().execute(async (tx) => {
    const taken = await tx
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', link.token_hash)
      .where('browser_hash', '=', link.browser_hash)
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst();
    if (!taken) return null;
    const { user_id, provider_id, issuer, subject, label } = taken;
    return insertIdentity(tx, { user_id, provider_id, issuer, subject, label, created_at: now, last_used_at: now });
  });
}

export type NewMember = NewUser & Pick<UserRow, 'email_verified' | 'avatar_url'>;

class Taken extends Error {}

/**
 * Creates user and identity, both or neither: `name` if the username is taken, `account` if the external account is.
 */
export async function insertMember(
  db: Db,
  { email_verified, avatar_url, ...user }: NewMember,
  identity: Omit<NewIdentity, 'user_id'>,
): Promise<User | 'name' | 'account'> {
  try {
    return await db.transaction().execute(async (tx) => {
      const made = await insertUser(tx, user);
      if (!made) return 'name';
      const row = await tx
        .updateTable('users')
        .set({ email_verified, avatar_url })
        .where('id', '=', made.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (!(await insertIdentity(tx, { ...identity, user_id: made.id }))) throw new Taken();
      return toUser(row);
    });
  } catch (error) {
    // Or the address was verified concurrently for another account.
    if (error instanceof Taken || isTaken(error, 'users')) return 'account';
    throw error;
  }
}

/** Applies the provider's role, except for root. Returns the previous one, or null if unchanged. */
export async function setMappedRole(db: Db, userId: number, role: number): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    const user = await tx.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst();
    if (!user) return null;
    const { numUpdatedRows } = await tx
      .updateTable('users')
      .set({ role })
      .where('id', '=', userId)
      .where('role', '<', roles.root)
      .where('role', '<>', role)
      .executeTakeFirst();
    return numUpdatedRows > 0n ? user.role : null;
  });
}

/** `last` if nothing else would let the user in. */
export async function deleteIdentity(
  db: Db,
  userId: number,
  id: number,
): Promise<(IdentityRow & { slug: string }) | 'last' | null> {
  return db.transaction().execute(async (tx) => {
    // Locks the user first: of two concurrent removals the second sees that it is the last.
    const user = await tx
      .updateTable('users')
      .set((e) => ({ status: e.ref('status') }))
      .where('id', '=', userId)
      .returning('password_hash')
      .executeTakeFirst();
    const all = await tx
      .selectFrom('user_identities as i')
      .innerJoin('identity_providers as p', 'p.id', 'i.provider_id')
      .selectAll('i')
      .select(['p.slug', 'p.enabled'])
      .where('i.user_id', '=', userId)
      .execute();
    const found = all.find((identity) => identity.id === id);
    if (!user || !found) return null;
    // An identity of a disabled provider lets nobody in.
    const others = all.filter((identity) => identity.id !== id && identity.enabled === 1);
    if (!hasPassword(user.password_hash) && others.length === 0) return 'last';
    await tx.deleteFrom('user_identities').where('id', '=', id).execute();
    return found;
  });
}
