import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { keySetSchema, keysIn } from '../assertion/client-keys.ts';
import { authMethodOf } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { authMethods, grantsOf } from '../registration/metadata.ts';
import { changeClient, ownClient, type Registered, registerClient, removeClient } from '../registration/register.ts';
import { grantableScopes, joinScopes } from '../scopes.ts';
import { requireEnabled } from '../status.ts';
import { anyOrigin, base, noStore } from './shapes.ts';

const path = '/api/oauth2/register';

/** Validated by hand: its errors have names of their own (RFC 7591 §3.2.2). */
const metadataBody = z
  .looseObject({
    redirect_uris: z
      .unknown()
      .describe('List of addresses; at least one if `grant_types` includes `authorization_code`'),
    client_name: z.unknown().describe('Shown to users; 1-64 characters'),
    client_uri: z.unknown(),
    token_endpoint_auth_method: z
      .unknown()
      .describe('`none`, `client_secret_basic` (the default), `client_secret_post`, `private_key_jwt`'),
    jwks: z.unknown().describe('With `private_key_jwt`: public keys of the client, as a JSON Web Key Set'),
    jwks_uri: z.unknown().describe('Alternatively, the https address of the key set'),
    grant_types: z.unknown(),
    response_types: z.unknown(),
    scope: z.unknown().describe('Names, separated by spaces'),
    post_logout_redirect_uris: z.unknown(),
    id_token_signed_response_alg: z.unknown(),
    backchannel_logout_uri: z.unknown(),
    require_pushed_authorization_requests: z.unknown(),
    dpop_bound_access_tokens: z.unknown(),
    client_id: z.unknown().describe('For updates: the client’s own ID'),
    client_secret: z.unknown().describe('For updates: the client’s own secret, or omitted'),
  })
  .partial()
  .meta({ description: 'Client metadata (RFC 7591 §2); unsupported fields are ignored' });

const clientSchema = z.object({
  client_id: z.string(),
  client_id_issued_at: z.number().int(),
  client_secret: z.string().optional(),
  client_secret_expires_at: z.number().int().optional(),
  registration_access_token: z.string(),
  registration_client_uri: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.enum(authMethods),
  jwks: keySetSchema.optional(),
  jwks_uri: z.string().optional(),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  scope: z.string(),
  id_token_signed_response_alg: z.string(),
  backchannel_logout_uri: z.string().optional(),
  require_pushed_authorization_requests: z.boolean(),
  dpop_bound_access_tokens: z.boolean(),
});

/** RFC 7591 §3.2.1, RFC 7592 §3. Only the token's hash is stored: it is echoed to its holder. */
function viewOf(
  { baseUrl, options }: Pick<OAuthContext, 'baseUrl' | 'options'>,
  { row, metadata, secret, registrationToken }: Registered,
) {
  const jwks = keysIn(row);
  return {
    client_id: row.client_id,
    client_id_issued_at: row.created_at,
    // It does not expire: unused clients are deleted as a whole.
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    registration_access_token: registrationToken,
    registration_client_uri: `${baseUrl}${path}/${row.client_id}`,
    client_name: row.name,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    post_logout_redirect_uris: JSON.parse(row.post_logout_redirect_uris) as string[],
    token_endpoint_auth_method: metadata?.token_endpoint_auth_method ?? authMethodOf(row),
    ...(jwks && { jwks }),
    ...(row.jwks_uri !== '' && { jwks_uri: row.jwks_uri }),
    ...grantsOf(JSON.parse(row.redirect_uris)),
    // Clients request what they are told here.
    scope: joinScopes(grantableScopes(row.allowed_scopes, options)),
    id_token_signed_response_alg: row.id_token_signed_response_alg,
    ...(row.backchannel_logout_uri !== '' && { backchannel_logout_uri: row.backchannel_logout_uri }),
    require_pushed_authorization_requests: row.require_pushed_requests === 1,
    dpop_bound_access_tokens: row.dpop_bound_access_tokens === 1,
  };
}

/** Dynamic registration (RFC 7591) and its management (RFC 7592). */
export function registrationRoutes(room: OAuthContext): Route[] {
  const { options } = room;
  const shared = {
    ...base,
    when: () => options.get('OAuth2OpenIDConnect') && options.get('OAuth2DynamicRegistration'),
    auth: 'none',
    limit: { option: 'RateLimitOAuthRegister', by: 'ip' },
    headers: { ...noStore, ...anyOrigin },
    maxBytes: 65_536,
  } as const;
  const member = {
    ...shared,
    path: `${path}/{client_id}`,
    params: z.object({ client_id: z.string().max(200) }),
    limit: { option: 'RateLimitApi', by: 'ip' },
  } as const;
  const authorizationOf = ({ request }: Pick<Call, 'request'>) => request.headers.get('authorization');
  const own = (call: Pick<Call, 'request'> & { params: { client_id: string } }) => {
    requireEnabled(options);
    return ownClient(room, call.params.client_id, authorizationOf(call));
  };
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path,
      summary: 'Register a client without a user; its secret and registration token are shown only once',
      body: metadataBody,
      answers: { 201: clientSchema },
      handle: async (call) => {
        const caller = { origin: originOf(call), authorization: authorizationOf(call) };
        return json(call, viewOf(room, await registerClient(room, caller, call.body)), 201);
      },
    }),
    defineRoute({
      ...member,
      method: 'get',
      summary: 'Get the registration of a client, using its registration token',
      answers: { 200: clientSchema },
      handle: async (call) => json(call, viewOf(room, await own(call))),
    }),
    defineRoute({
      ...member,
      method: 'put',
      summary: 'Replace the registration of a client',
      body: metadataBody,
      answers: { 200: clientSchema },
      handle: async (call) =>
        json(call, viewOf(room, await changeClient(room, originOf(call), await own(call), call.body))),
    }),
    defineRoute({
      ...member,
      method: 'delete',
      summary: 'Delete a client with its tokens and consents',
      answers: { 204: { description: 'No content' } },
      handle: async (call) => {
        await removeClient(room, originOf(call), await own(call));
        return new Response(null, { status: 204, headers: call.headers });
      },
    }),
  ];
}
