import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { done } from '../../platform/http/answers.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { clientFields, presentedClient, requiredClient } from '../assertion/presented-client.ts';
import { invalidClient } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { introspect } from '../introspect.ts';
import { revokeToken } from '../revoke.ts';
import { requireEnabled } from '../status.ts';
import { anyOrigin, base, noStore } from './shapes.ts';

const bodySchema = z.object({
  token: z.string().min(1, 'must not be empty'),
  token_type_hint: z.string().optional(),
  ...clientFields,
});

/** A chain of at most three, nested. */
const actorSchema = z.object({
  sub: z.string(),
  client_id: z.string(),
  act: z.record(z.string(), z.unknown()).optional(),
});

const introspectionSchema = z.object({
  active: z.boolean(),
  scope: z.string().optional(),
  client_id: z.string().optional(),
  username: z.string().optional(),
  token_type: z.string().optional(),
  exp: z.number().int().optional(),
  iat: z.number().int().optional(),
  sub: z.string().optional(),
  cnf: z.object({ jkt: z.string() }).optional().describe('Key that the token is bound to (RFC 9449)'),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  act: actorSchema.optional().describe('Client that acts for the user with an exchanged token (RFC 8693 §4.1)'),
});

/** Revocation and introspection. */
export function tokenStatusRoutes(room: OAuthContext): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/oauth2/revoke',
      summary: 'Revoke an access or refresh token',
      auth: 'none',
      limit: { option: 'RateLimitOAuthRevoke', by: 'ip' },
      headers: { ...noStore, ...anyOrigin },
      bodyAs: 'form',
      body: bodySchema,
      maxBytes: 65_536,
      answers: { 200: done },
      handle: async (call) => {
        const revoked = await revokeToken(room, call.body.token, await credentialsOrNone(room, call));
        if (revoked)
          room.audit.record('token_revoked', originOf(call), {
            application_id: revoked.applicationId,
            user_id: revoked.userId,
            metadata: { token_type: `${revoked.kind}_token` },
          });
        // RFC 7009 §2.2: the same whether or not there was anything to revoke.
        return json(call, { success: true, message: 'The token was revoked.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/oauth2/introspect',
      summary: 'Introspect one of the client’s own tokens',
      auth: 'none',
      limit: { option: 'RateLimitOAuthIntrospect', by: 'ip' },
      headers: noStore,
      bodyAs: 'form',
      body: bodySchema,
      maxBytes: 65_536,
      answers: { 200: introspectionSchema },
      handle: async (call) => {
        requireEnabled(room.options);
        const credentials = await requiredClient(room, call, call.body);
        // Basic or an assertion; a secret in the body is not accepted here.
        if (!credentials.signed && !call.request.headers.has('authorization')) throw invalidClient();
        return json(call, await introspect(room, call.body.token, credentials));
      },
    }),
  ];
}

/** Unreadable credentials count as wrong ones, for a client that owns nothing. */
async function credentialsOrNone(
  room: OAuthContext,
  call: { request: Request; ip: string; body: z.infer<typeof bodySchema> },
) {
  try {
    return await presentedClient(room, call, call.body);
  } catch (error) {
    if ((error as { code?: string }).code !== 'invalid_client') throw error;
    return { clientId: '', secret: null };
  }
}
