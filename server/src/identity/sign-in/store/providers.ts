import type { Selectable } from 'kysely';
import { deleteRows } from '../../../platform/db/delete-rows.ts';
import { findShaped } from '../../../platform/db/find-row.ts';
import { pageOfFew, type Range } from '../../../platform/db/list-page.ts';
import { resealing } from '../../../platform/db/reseal.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { dropGrants } from './grants.ts';
import type { IdentityProvidersTable } from './tables.ts';

/** `github` has OAuth 2 without OpenID: accounts are read from its API. */
export const providerKinds = ['openid', 'github'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** A provider as stored, with its secret sealed. */
export interface Provider {
  id: number;
  slug: string;
  name: string;
  kind: ProviderKind;
  issuer: string;
  clientId: string;
  sealedSecret: string;
  scopes: string;
  enabled: boolean;
  allowSignUp: boolean;
  trustEmail: boolean;
  emailDomains: string[];
  roleClaim: string;
  roleMap: Record<string, number>;
  /** Vouches for its users at MCP servers, for which each sign-in's grant is kept. */
  vouches: boolean;
  createdAt: number;
  updatedAt: number;
}

export type ProviderFields = Omit<Provider, 'id' | 'createdAt' | 'updatedAt'>;

const fromRow = (row: Selectable<IdentityProvidersTable>): Provider => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  kind: row.kind as ProviderKind,
  issuer: row.issuer,
  clientId: row.client_id,
  sealedSecret: row.client_secret,
  scopes: row.scopes,
  enabled: row.enabled === 1,
  allowSignUp: row.allow_sign_up === 1,
  trustEmail: row.trust_email === 1,
  emailDomains: JSON.parse(row.email_domains) as string[],
  roleClaim: row.role_claim,
  roleMap: JSON.parse(row.role_map) as Record<string, number>,
  vouches: row.vouches === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: ProviderFields) => ({
  slug: fields.slug,
  name: fields.name,
  kind: fields.kind,
  issuer: fields.issuer,
  client_id: fields.clientId,
  client_secret: fields.sealedSecret,
  scopes: fields.scopes,
  enabled: fields.enabled ? 1 : 0,
  allow_sign_up: fields.allowSignUp ? 1 : 0,
  trust_email: fields.trustEmail ? 1 : 0,
  email_domains: JSON.stringify(fields.emailDomains),
  role_claim: fields.roleClaim,
  role_map: JSON.stringify(fields.roleMap),
  vouches: fields.vouches ? 1 : 0,
});

export async function pageProviders(db: Db, range: Range): Promise<{ providers: Provider[]; total: number }> {
  const { rows, total } = await pageOfFew(db.selectFrom('identity_providers').selectAll().orderBy('id'), range);
  return { providers: rows.map(fromRow), total };
}

export async function listProviders(db: Db): Promise<Provider[]> {
  return (await db.selectFrom('identity_providers').selectAll().orderBy('id').execute()).map(fromRow);
}

export const findProvider = (db: Db, id: number): Promise<Provider | null> =>
  findShaped(db, 'identity_providers', { id }, fromRow);

export const findProviderBySlug = (db: Db, slug: string): Promise<Provider | null> =>
  findShaped(db, 'identity_providers', { slug }, fromRow);

/** Null if the slug is taken. */
export async function insertProvider(db: Db, fields: ProviderFields, now: number): Promise<Provider | null> {
  const row = await db
    .insertInto('identity_providers')
    .values({ ...toRow(fields), created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Null if it does not exist. The slug is fixed: it is part of the registered redirect URI. */
export async function updateProvider(
  db: Db,
  id: number,
  change: (old: Provider) => ProviderFields,
  now: number,
): Promise<Provider | null> {
  return db.transaction().execute(async (tx) => {
    // Written first, so that of two concurrent changes the second sees the first.
    await tx.updateTable('identity_providers').set({ updated_at: now }).where('id', '=', id).execute();
    const old = await findProvider(tx, id);
    if (!old) return null;
    const fields = { ...change(old), slug: old.slug, kind: old.kind };
    await tx.updateTable('identity_providers').set(toRow(fields)).where('id', '=', id).execute();
    // Grants of one client at one issuer are not used for another.
    const isOther = fields.issuer !== old.issuer || fields.clientId !== old.clientId;
    if (isOther || !fields.vouches) await dropGrants(tx, id);
    return { ...old, ...fields };
  });
}

/** Including its connected accounts. */
export async function deleteProvider(db: Db, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    for (const table of ['sign_in_attempts', 'sign_in_links', 'user_identities'] as const)
      await tx.deleteFrom(table).where('provider_id', '=', id).execute();
    return deleteRows(tx, 'identity_providers', { id });
  });
}

export const resealClientSecrets = resealing('identity_providers', ['id'], 'client_secret');
