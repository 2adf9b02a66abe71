import { findUser } from '../identity/store/users.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { checkedUrl, OutgoingError } from '../platform/http/outgoing.ts';
import { requireAssertion } from './assertions.ts';
import type { McpContext } from './context.ts';
import { checkVoucher, isVouchedAlike, requireVoucher } from './enterprise-authorization.ts';
import { forgetGrants } from './forget-grants.ts';
import { endSessionsOfUser } from './kept-sessions.ts';
import { type ClientInput, changedClient, isSameClient, noClient, requireOwnClient } from './own-client.ts';
import { endShared, endSharedBy, requireOrganisation } from './shared-sign-in.ts';
import { dropApprovalsAt, dropApprovalsOf, serversOf } from './store/account-data.ts';
import { dropOwnGrant } from './store/own-grants.ts';
import * as store from './store/servers.ts';

export type ServerInput = Omit<store.McpServerFields, 'sealedHeaders' | 'headerNames' | keyof store.ServerClient> & {
  headers: Record<string, string>;
} & ClientInput;

export const serverDefaults = {
  headers: {} as Record<string, string>,
  enabled: true,
  timeoutMs: 60_000,
  audience: 'administrators' as store.Audience,
  userIds: [] as number[],
  offers: [] as store.Offering[],
  auth: 'headers' as store.AuthKind,
  ownerId: null as number | null,
  callsPerMinute: 0,
  clientId: '',
  clientSecret: '',
  clientKey: '',
  assertionFile: '',
  vouchedBy: '',
  sharedSignIn: false,
  blocked: false,
};

/** Invalidates everything cached for a server. */
async function forgetAll({ sessions, callers, known }: McpContext, id: number): Promise<void> {
  await known.changed(id);
  sessions.forget(id);
  callers.forget(id);
}

/** Per user or organisation: each server is asked for its tools on every listing. */
const mostOwn = 20;

export async function addServer(
  room: McpContext,
  { headers, clientId, clientSecret, clientKey, ...given }: ServerInput,
): Promise<store.McpServer> {
  const fields = { ...given, ...changedClient(room, noClient, { clientId, clientSecret, clientKey }) };
  requireOwnClient(fields);
  requireAssertion(room, fields);
  requireVoucher(fields);
  requireOrganisation(fields);
  await checkVoucher(room, fields.vouchedBy);
  checkAddress(room, fields.url);
  if (await hasMoreThan(room, fields.ownerId, mostOwn - 1)) throw tooMany();
  await checkUsers(room, fields.userIds);
  const server = await store.insertServer(room.db, { ...fields, ...sealed(room, headers) }, nowSeconds(room.clock));
  if (!server) throw new AppError('conflict', `name: a server named ${fields.name} already exists`, { param: 'name' });
  // Of several concurrent inserts, those that see too many undo themselves; the last one that stays has seen all
  // others.
  if (await hasMoreThan(room, fields.ownerId, mostOwn)) {
    await store.deleteServer(room.db, server.id);
    await room.known.changed(server.id);
    throw tooMany();
  }
  return server;
}

const tooMany = (): AppError => new AppError('conflict', `You have reached the limit of ${mostOwn} servers.`);

const hasMoreThan = async ({ db }: McpContext, ownerId: number | null, most: number): Promise<boolean> =>
  ownerId !== null && (await store.countServers(db, [ownerId])) > most;

/** Absent fields stay; headers, if given, replace all existing ones. */
export async function changeServer(
  room: McpContext,
  id: number,
  { headers, clientId, clientSecret, clientKey, ...given }: Partial<Omit<ServerInput, 'name'>>,
  { byOperator = false } = {},
): Promise<store.McpServer> {
  if (given.url !== undefined) checkAddress(room, given.url);
  if (given.userIds) await checkUsers(room, given.userIds);
  await checkVoucher(room, given.vouchedBy);
  const change = headers === undefined ? given : { ...given, ...sealed(room, headers) };
  let left: store.McpServer | null = null;
  let wasShared = false;
  let isElsewhere = false;
  const server = await store.updateServer(
    room.db,
    id,
    (old) => {
      const moved = !sameOrigin(old, { ...old, ...change });
      isElsewhere = moved;
      const client = changedClient(room, old, { clientId, clientSecret, clientKey }, moved);
      const fields = { ...old, ...change, ...client };
      requireOwnClient(fields);
      requireAssertion(room, fields);
      requireVoucher(fields);
      requireOrganisation(fields);
      if (byOperator) fields.blocked = isBlocked(old, given.enabled);
      else if (old.blocked && fields.enabled)
        throw new AppError('forbidden', 'An administrator of the service has disabled this server.');
      if (headers === undefined) refuseMovedHeaders(old, fields);
      // Grants for one origin, client or identity provider are not valid for another.
      wasShared = store.isShared(old);
      left = moved || !isSameClient(old, fields) || !isVouchedAlike(old, fields) ? old : null;
      return fields;
    },
    nowSeconds(room.clock),
  );
  if (!server) throw noServer(id);
  if (isElsewhere) await dropApprovalsAt(room.db, id);
  if (left) await forgetGrants(room, { serverId: id }, left);
  if (wasShared && !store.isShared(server)) await endShared(room, server);
  if (left || !store.signsInItself(server)) await dropOwnGrant(room.db, id);
  await forgetAll(room, id);
  return server;
}

/** What an administrator disables stays so until one enables it; their own servers are the operator's. */
const isBlocked = ({ ownerId, blocked }: store.McpServer, enabled: boolean | undefined): boolean =>
  enabled === undefined ? blocked : ownerId !== null && !enabled;

export async function removeServer(room: McpContext, id: number): Promise<void> {
  await forgetGrants(room, { serverId: id }, await getServer(room, id));
  if (!(await store.deleteServer(room.db, id))) throw noServer(id);
  await forgetAll(room, id);
}

/** Throws if the server is out of the caller's reach: null for all servers, else those of these owners. */
export async function getServer(
  room: Pick<McpContext, 'db'>,
  id: number,
  reach: readonly number[] | null = null,
): Promise<store.McpServer> {
  const server = await store.findServer(room.db, id);
  if (!server || (reach !== null && !reach.some((owner) => owner === server.ownerId))) throw noServer(id);
  return server;
}

/** Deletes everything of a user or an organisation's account: servers, sessions, approvals and grants. */
export async function forgetUser(room: McpContext, userId: number): Promise<void> {
  for (const id of await serversOf(room.db, userId)) await removeServer(room, id);
  await endSessionsOfUser(room, { userId });
  await dropApprovalsOf(room.db, userId);
  await forgetGrants(room, { userId });
}

/** Deletes a user's sessions, approvals and grants at an organisation's servers when they leave it. */
export async function forgetMember(room: McpContext, userId: number, accountId: number): Promise<void> {
  for (const serverId of await serversOf(room.db, accountId)) {
    await endSessionsOfUser(room, { userId, serverId });
    await dropApprovalsOf(room.db, userId, serverId);
    await forgetGrants(room, { serverId, userId });
    await endSharedBy(room, await getServer(room, serverId), userId);
  }
}

export const noServer = (id: number): AppError => new AppError('not_found', `there is no MCP server ${id}`);

const sealed = ({ sealer }: McpContext, headers: Record<string, string>) => {
  const headerNames = Object.keys(headers);
  return { headerNames, sealedHeaders: headerNames.length === 0 ? '' : sealer.seal(JSON.stringify(headers)) };
};

/** Host names are resolved when the server is called; this only rejects addresses that can never be called. */
function checkAddress({ allowPrivate }: McpContext, url: string): void {
  try {
    checkedUrl(url, { allowPrivate });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw new AppError('invalid_value', `url: ${error.message}`, { param: 'url' });
  }
}

async function checkUsers({ db }: McpContext, ids: readonly number[]): Promise<void> {
  for (const id of ids)
    if (!(await findUser(db, id)))
      throw new AppError('invalid_value', `user_ids: there is no user ${id}`, { param: 'user_ids' });
}

const sameOrigin = (one: { url: string }, other: { url: string }): boolean =>
  URL.parse(one.url)?.origin === URL.parse(other.url)?.origin;

/** As with channels: otherwise anyone who may edit a server could send its stored headers to another address. */
function refuseMovedHeaders(old: store.McpServer, fields: store.McpServerFields): void {
  if (old.sealedHeaders === '' || sameOrigin(old, fields)) return;
  const what = 'stored headers are not sent to another origin';
  throw new AppError('invalid_value', `headers: enter them again, ${what}; {} removes them`, { param: 'headers' });
}
