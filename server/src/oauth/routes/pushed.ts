import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { clientFields, requiredClient } from '../assertion/presented-client.ts';
import type { OAuthContext } from '../context.ts';
import { proofOf } from '../dpop/proof.ts';
import { pushRequest } from '../pushed/push.ts';
import { requestFields } from './authorize.ts';
import { anyOrigin, base, noStore, repeatableIn } from './shapes.ts';

/** RFC 9126: an application sends its request here first, and the browser only carries its reference. */
export function pushedRoute(room: OAuthContext): Route {
  return defineRoute({
    ...base,
    when: () => room.options.get('OAuth2OpenIDConnect'),
    method: 'post',
    path: '/api/oauth2/par',
    summary: 'Push an authorization request; the browser then continues with its request_uri',
    auth: 'none',
    limit: { option: 'RateLimitOAuthPushed', by: 'ip' },
    headers: { ...noStore, ...anyOrigin },
    bodyAs: 'form',
    repeatable: repeatableIn(room),
    body: z.object({
      ...requestFields,
      response_type: z.string().optional(),
      ...clientFields,
    }),
    maxBytes: 65_536,
    answers: { 201: z.object({ request_uri: z.string(), expires_in: z.number().int() }) },
    handle: async (call) => {
      const { client_id, client_secret, client_assertion, client_assertion_type, ...request } = call.body;
      const form = { client_id, client_secret, client_assertion, client_assertion_type };
      const credentials = await requiredClient(room, call, form);
      const caller = { proofKey: await proofOf(room, call.request), ip: call.ip };
      return json(call, await pushRequest(room, credentials, request, caller), 201);
    },
  });
}
