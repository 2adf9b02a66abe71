import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { idParams, nothingAsked } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { callbackPath, clientDocument, documentPath } from '../client-document.ts';
import type { McpContext } from '../context.ts';
import { forgetGrants } from '../forget-grants.ts';
import { beginGrant, finishGrant } from '../grants.ts';
import { manageableOwners } from '../owner.ts';
import { getServer } from '../servers.ts';
import { endShared } from '../shared-sign-in.ts';
import { findGrants } from '../store/grants.ts';
import { isShared, type McpServer } from '../store/servers.ts';
import { usableById } from '../usable-tools.ts';
import { answers } from './schemas.ts';
import { serverSubject } from './views.ts';

const shared = {
  tag: 'Tools',
  auth: 'session',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;
const path = '/api/mcp/servers/{id}/authorize';

/** Authorization servers may add further parameters. */
const callbackQuery = z.looseObject({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4_000).optional(),
  iss: z.string().max(2_000).optional(),
});

const documentSchema = z.record(z.string(), z.unknown());

/** Signing in to servers that require it of each user. */
export const grantRoutes = (room: McpContext): Route[] => [...ownRoutes(room), ...sharedRoutes(room)];

/** One person signs in for a whole organisation. */
function sharedRoutes(room: McpContext): Route[] {
  const owner = { ...shared, auth: 'mcpOwner', path: '/api/mcp/servers/{id}/shared-sign-in' } as const;
  const subject = serverSubject(room);
  const within = async (call: Call<'mcpOwner', unknown, unknown, { id: number }>): Promise<McpServer> =>
    getServer(room, call.params.id, await manageableOwners(room, call.principal));
  return [
    defineRoute({
      ...owner,
      method: 'post',
      summary:
        'Start signing in to a server of an organisation you manage, for its team keys and all members who have not signed in',
      query: nothingAsked,
      params: idParams,
      audit: { action: 'mcp_shared_sign_in_begun', subject, id: (call) => call.params.id },
      answers: { 200: answers.authorize },
      handle: async (call) => {
        const server = await within(call);
        const { id: by } = call.principal.user;
        if (!isShared(server))
          throw new AppError('invalid_value', `the server ${server.name} does not use a shared sign-in`);
        // Service administrators may end a shared sign-in but not create one: they are not the users it is meant for.
        const { accountId } = await room.memberships.managed(by, server.organisationId!);
        return ok(call, { authorization_url: await beginGrant(room, server, accountId, by) });
      },
    }),
    defineRoute({
      ...owner,
      method: 'delete',
      summary: 'Sign an organisation out of a server and revoke the granted access',
      query: nothingAsked,
      params: idParams,
      audit: { action: 'mcp_shared_sign_in_removed', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        const server = await within(call);
        await endShared(room, server);
        return ok(call, { id: server.id });
      },
    }),
  ];
}

function ownRoutes(room: McpContext): Route[] {
  const subject = serverSubject(room);
  const within = (call: Call<'session', unknown, unknown, { id: number }>): Promise<McpServer> =>
    usableById(room, call.principal.user.id, call.params.id);
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path,
      summary: 'Start signing in to a server you can use; returns the URL to open in your browser',
      query: nothingAsked,
      params: idParams,
      answers: { 200: answers.authorize },
      handle: async (call) => {
        const server = await within(call);
        return ok(call, { authorization_url: await beginGrant(room, server, call.principal.user.id) });
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path,
      summary: 'Sign out of a server',
      query: nothingAsked,
      params: idParams,
      audit: { action: 'mcp_authorization_removed', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        const { id } = call.params;
        const own = { serverId: id, userId: call.principal.user.id };
        // A grant can be revoked even if the server is disabled or no longer available to the user.
        if ((await findGrants(room.db, own, 1)).length === 0) await within(call);
        await forgetGrants(room, own);
        room.sessions.forget(id);
        room.callers.forget(id);
        return ok(call, { id });
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: callbackPath,
      visited: true,
      summary: 'Redirect URL after signing in to a server',
      query: callbackQuery,
      answers: { 303: { description: 'Redirect to the tools page' } },
      handle: async (call) => {
        const { state, code, iss } = call.query;
        const { id: userId } = call.principal.user;
        const managed = (await room.memberships.of(userId)).filter(({ manages }) => manages);
        const accountIds = managed.map(({ accountId }) => accountId);
        const { server, signedIn } = await finishGrant(room, { userId, accountIds }, { state, code, iss });
        const location = `${room.webUrl}/tools?${signedIn ? 'signed_in' : 'not_signed_in'}=${server.name}`;
        return new Response(null, { status: 303, headers: { ...call.headers, location, 'cache-control': 'no-store' } });
      },
    }),
    defineRoute({
      tag: 'Tools',
      auth: 'none',
      errors: 'management',
      // Authorization servers fetch it on behalf of many users, from one IP address.
      limit: null,
      method: 'get',
      path: documentPath,
      summary: "Get this service's Client ID Metadata Document, read by authorization servers of connected servers",
      headers: { 'cache-control': 'public, max-age=300' },
      answers: { 200: documentSchema },
      handle: (call) => json(call, clientDocument(room)),
    }),
  ];
}
