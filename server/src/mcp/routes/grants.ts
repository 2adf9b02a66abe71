import { z } from 'zod';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { callbackPath, clientDocument, documentPath } from '../client-document.ts';
import { forgetGrants } from '../forget-grants.ts';
import { beginGrant, finishGrant } from '../grants.ts';
import { usableById } from '../offers.ts';
import type { McpRoom } from '../room.ts';
import { someGrants } from '../store/grants.ts';
import type { McpServer } from '../store/servers.ts';
import { answers, idParams, nothingAsked } from './schemas.ts';
import { serverSubject } from './views.ts';

const shared = {
  tag: 'Tools',
  auth: 'session',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;
const path = '/api/mcp/servers/{id}/authorize';

/** Authorization servers add what they like. */
const callbackQuery = z.looseObject({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4_000).optional(),
  iss: z.string().max(2_000).optional(),
});

const documentSchema = z.record(z.string(), z.unknown());

/** Signing in to servers that ask each user to. */
export function grantRoutes(room: McpRoom): Route[] {
  const subject = serverSubject(room);
  const within = (call: Call<'session', unknown, unknown, { id: number }>): Promise<McpServer> =>
    usableById(room, call.principal.user.id, call.params.id);
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path,
      summary: 'Begin to sign in to a server that you may use: the address that your browser has to go to',
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
      summary: 'Forget that you are signed in to a server',
      query: nothingAsked,
      params: idParams,
      audit: { action: 'mcp_authorization_removed', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        const { id } = call.params;
        const own = { serverId: id, userId: call.principal.user.id };
        // What was given may be taken back also where the server is turned off, or for others now.
        if ((await someGrants(room.db, own, 1)).length === 0) await within(call);
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
      summary: 'Where a browser comes back to after signing in to a server',
      query: callbackQuery,
      answers: { 303: { type: 'text/plain', description: 'On to the page of tools' } },
      handle: async (call) => {
        const { state, code, iss } = call.query;
        const { server, signedIn } = await finishGrant(room, call.principal.user.id, { state, code, iss });
        const location = `${room.webUrl}/tools?${signedIn ? 'signed_in' : 'not_signed_in'}=${server.name}`;
        return new Response(null, { status: 303, headers: { ...call.headers, location, 'cache-control': 'no-store' } });
      },
    }),
    defineRoute({
      tag: 'Tools',
      auth: 'none',
      errors: 'management',
      // Authorization servers read it for whoever signs in there, many from one address.
      limit: null,
      method: 'get',
      path: documentPath,
      summary:
        'What authorization servers of connected servers read about this service: its Client ID Metadata Document',
      headers: { 'cache-control': 'public, max-age=300' },
      answers: { 200: documentSchema },
      handle: (call) => json(call, clientDocument(room)),
    }),
  ];
}
