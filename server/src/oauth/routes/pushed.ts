import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { invalidClient, readCredentials } from '../client-auth.ts';
import { proofOf } from '../dpop/proof.ts';
import { pushRequest } from '../pushed/push.ts';
import type { Room } from '../room.ts';
import { requestFields } from './authorize.ts';
import { anyOrigin, base, noStore } from './shapes.ts';

/** RFC 9126: an application sends its request here first, and the browser with no more than its name. */
export function pushedRoute(room: Room): Route {
  return defineRoute({
    ...base,
    when: () => room.options.get('OAuth2OpenIDConnect'),
    method: 'post',
    path: '/api/oauth2/par',
    summary: 'Push an authorization request; the browser then comes with its request_uri',
    auth: 'none',
    limit: { option: 'RateLimitOAuthPushed', by: 'ip' },
    headers: { ...noStore, ...anyOrigin },
    bodyAs: 'form',
    body: z.object({
      ...requestFields,
      response_type: z.string().optional(),
      client_id: z.string().optional(),
      client_secret: z.string().optional(),
    }),
    maxBytes: 65_536,
    answers: { 201: z.object({ request_uri: z.string(), expires_in: z.number().int() }) },
    handle: async (call) => {
      const { client_id, client_secret, ...request } = call.body;
      const authorization = call.request.headers.get('authorization');
      const credentials = readCredentials({ authorization, client_id, client_secret });
      if (!credentials) throw invalidClient();
      const caller = { proofKey: await proofOf(room, call.request), ip: call.ip };
      return json(call, await pushRequest(room, credentials, request, caller), 201);
    },
  });
}
