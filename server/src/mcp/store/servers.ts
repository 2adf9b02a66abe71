import type { Selectable } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findShaped } from '../../platform/db/find-row.ts';
import { countRows, pageOfFew, type Range } from '../../platform/db/list-page.ts';
import { resealing, resealingAll } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { organisationIn } from '../tool-names.ts';
import type { McpServerTable } from './tables.ts';

export const audiences = ['everyone', 'administrators', 'users'] as const;
export type Audience = (typeof audiences)[number];

/** What servers may offer besides tools; forwarded only if enabled for the server. */
export const offerings = ['resources', 'prompts'] as const;
export type Offering = (typeof offerings)[number];

/**
 * How calls to a server are authenticated: by configured headers, by each user signing in, by assertions of the
 * company's identity provider about each user, or by the service signing in for all users, either as a client or with
 * its platform's token.
 */
export const authKinds = ['headers', 'oauth', 'enterprise', 'client_credentials', 'jwt_bearer'] as const;
export type AuthKind = (typeof authKinds)[number];

export const signsInItself = ({ auth }: { auth: AuthKind }): boolean =>
  auth === 'client_credentials' || auth === 'jwt_bearer';

/** The server distinguishes users: each has their own token. */
export const isOfUsers = ({ auth }: { auth: AuthKind }): boolean => auth === 'oauth' || auth === 'enterprise';

/** A manager of the organisation signs in for all members who have not signed in themselves. */
export const isShared = ({ organisationId, auth, sharedSignIn }: McpServer): boolean =>
  organisationId !== null && auth === 'oauth' && sharedSignIn;

/** A server as stored: its headers and its client's secret and key are still sealed. */
export interface McpServer {
  id: number;
  name: string;
  url: string;
  sealedHeaders: string;
  headerNames: string[];
  enabled: boolean;
  timeoutMs: number;
  audience: Audience;
  userIds: number[];
  offers: Offering[];
  auth: AuthKind;
  /** A user, an organisation's account, or null for the operator. */
  ownerId: number | null;
  /** The organisation that the owner's account belongs to; null for servers of the operator and of users. */
  organisationId: number | null;
  /** For all users together; 0 for no limit. */
  callsPerMinute: number;
  /** A client registered by hand, for servers that users or the service sign in to; empty if we register ourselves. */
  clientId: string;
  /** Empty for a client without a secret. */
  sealedClientSecret: string;
  /** Signs assertions in place of a secret; empty for a client without a key. */
  sealedClientKey: string;
  /** The issuer that the client was first used at; empty until then. */
  clientIssuer: string;
  /** The file with the platform's token that is exchanged; empty for none. */
  assertionFile: string;
  /** The slug of the identity provider that vouches for users; empty for none. */
  vouchedBy: string;
  /** Only applies to servers of organisations with `oauth`. */
  sharedSignIn: boolean;
  /** Disabled by an administrator of the service: its owner cannot enable it. */
  blocked: boolean;
  createdAt: number;
  updatedAt: number;
}

/** Our client at a server's authorization server. */
export type ServerClient = Pick<McpServer, 'clientId' | 'sealedClientSecret' | 'sealedClientKey' | 'clientIssuer'>;

export type McpServerFields = Omit<McpServer, 'id' | 'organisationId' | 'createdAt' | 'updatedAt'>;

/**
 * The unique name in the database: a user's server has the user's id in front, so that users cannot take names from
 * each other. Servers that users connected before this was introduced have only their name, and so do those of
 * organisations.
 */
const storedName = (ownerId: number | null, name: string): string =>
  ownerId === null || organisationIn(name) !== null ? name : `${ownerId}/${name}`;
export const nameIn = (stored: string): string => stored.slice(stored.indexOf('/') + 1);

const fromRow = (row: Selectable<McpServerTable>): McpServer => ({
  id: row.id,
  name: nameIn(row.name),
  url: row.url,
  sealedHeaders: row.headers,
  headerNames: JSON.parse(row.header_names) as string[],
  enabled: row.enabled === 1,
  timeoutMs: row.timeout_ms,
  audience: row.audience as Audience,
  userIds: JSON.parse(row.user_ids) as number[],
  offers: JSON.parse(row.offers) as Offering[],
  auth: row.auth as AuthKind,
  ownerId: row.owner_id,
  organisationId: organisationIn(row.name),
  callsPerMinute: row.calls_per_minute,
  clientId: row.client_id,
  sealedClientSecret: row.client_secret,
  sealedClientKey: row.client_key,
  clientIssuer: row.client_issuer,
  assertionFile: row.assertion_file,
  vouchedBy: row.vouched_by,
  sharedSignIn: row.shared_sign_in === 1,
  blocked: row.blocked === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: McpServerFields) => ({
  name: storedName(fields.ownerId, fields.name),
  url: fields.url,
  headers: fields.sealedHeaders,
  header_names: JSON.stringify(fields.headerNames),
  enabled: fields.enabled ? 1 : 0,
  timeout_ms: fields.timeoutMs,
  audience: fields.audience,
  user_ids: JSON.stringify(fields.userIds),
  offers: JSON.stringify(fields.offers),
  auth: fields.auth,
  owner_id: fields.ownerId,
  calls_per_minute: fields.callsPerMinute,
  client_id: fields.clientId,
  client_secret: fields.sealedClientSecret,
  client_key: fields.sealedClientKey,
  client_issuer: fields.clientIssuer,
  assertion_file: fields.assertionFile,
  vouched_by: fields.vouchedBy,
  shared_sign_in: fields.sharedSignIn ? 1 : 0,
  blocked: fields.blocked ? 1 : 0,
});

export async function pageServers(
  db: Db,
  { ownerIds, ...range }: Range & { ownerIds: readonly number[] | null },
): Promise<{ servers: McpServer[]; total: number }> {
  const { rows, total } = await pageOfFew(ownedBy(db, ownerIds).selectAll().orderBy('id'), range);
  return { servers: rows.map(fromRow), total };
}

/** Of these owners, or of all if null. */
const ownedBy = (db: Db, ownerIds: readonly number[] | null) =>
  db.selectFrom('mcp_servers').$if(ownerIds !== null, (all) => all.where('owner_id', 'in', ownerIds!));

export const countServers = (db: Db, ownerIds: readonly number[] | null): Promise<number> =>
  countRows(ownedBy(db, ownerIds));

export async function listServers(db: Db): Promise<McpServer[]> {
  return (await db.selectFrom('mcp_servers').selectAll().orderBy('id').execute()).map(fromRow);
}

/** Servers of these owners and of the operator. */
export async function serversOwnedBy(db: Db, ownerIds: readonly number[]): Promise<McpServer[]> {
  const rows = await db
    .selectFrom('mcp_servers')
    .selectAll()
    .where((e) => e.or([e('owner_id', 'is', null), e('owner_id', 'in', ownerIds)]))
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

export const findServer = (db: Db, id: number): Promise<McpServer | null> =>
  findShaped(db, 'mcp_servers', { id }, fromRow);

/** Of this owner, or of the operator if null. An organisation's server is found by its name alone. */
export async function findServerByName(db: Db, ownerId: number | null, name: string): Promise<McpServer | null> {
  const row = await db
    .selectFrom('mcp_servers')
    .selectAll()
    .where('name', 'in', [storedName(ownerId, name), name])
    .$if(organisationIn(name) === null, (one) => one.where('owner_id', ownerId === null ? 'is' : '=', ownerId))
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Null if the name is taken by a server of the same owner or of the operator. */
export async function insertServer(db: Db, fields: McpServerFields, now: number): Promise<McpServer | null> {
  for (const owner of new Set([fields.ownerId, null])) if (await findServerByName(db, owner, fields.name)) return null;
  const row = await db
    .insertInto('mcp_servers')
    .values({ ...toRow(fields), created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Null if there is no such server. The name cannot be changed: models know the tools by it. */
export async function updateServer(
  db: Db,
  id: number,
  change: (old: McpServer) => McpServerFields,
  now: number,
): Promise<McpServer | null> {
  return db.transaction().execute(async (tx) => {
    // Write first to lock the row, so that of two concurrent changes the second sees the result of the first.
    await touchServer(tx, id, now);
    const old = await findServer(tx, id);
    if (!old) return null;
    const fields = { ...change(old), name: old.name };
    await tx.updateTable('mcp_servers').set(toRow(fields)).where('id', '=', id).execute();
    return { ...old, ...fields };
  });
}

export const touchServer = (tx: Db, id: number, now: number): Promise<unknown> =>
  tx.updateTable('mcp_servers').set({ updated_at: now }).where('id', '=', id).execute();

/** Also deletes the server's tools, sessions, approvals and grants; false if there is no such server. */
export async function deleteServer(db: Db, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    for (const table of ['mcp_tools', 'mcp_sessions', 'mcp_approvals', 'mcp_grants', 'mcp_own_grants'] as const)
      await tx.deleteFrom(table).where('server_id', '=', id).execute();
    return deleteRows(tx, 'mcp_servers', { id });
  });
}

/** A client belongs to the first issuer it is used at. Does nothing if the client was changed meanwhile. */
export const bindClient = (db: Db, { id, ...client }: McpServer, issuer: string): Promise<unknown> =>
  db
    .updateTable('mcp_servers')
    .set({ client_issuer: issuer })
    .where('id', '=', id)
    .where('client_id', '=', client.clientId)
    .where('client_secret', '=', client.sealedClientSecret)
    .where('client_key', '=', client.sealedClientKey)
    .where('client_issuer', '=', '')
    .execute();

export const resealServers = resealingAll(
  resealing('mcp_servers', ['id'], 'headers'),
  resealing('mcp_servers', ['id'], 'client_secret'),
  resealing('mcp_servers', ['id'], 'client_key'),
);
