import type { Updateable } from 'kysely';
import { z } from 'zod';
import type { State } from '../../lib/changes.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { redirectUris, webUrl } from '../address-fields.ts';
import { type KeyInput, keyFields, keySetSchema, keysIn, namesOfKeys } from '../assertion/client-keys.ts';
import { authMethodOf, ownAuthMethods } from '../client-auth.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { signingAlgorithms } from './signing-algorithms.ts';

/** OpenID Connect settings of an application, under their registration names (Registration 1.0 §2). */
export const openidFields = {
  post_logout_redirect_uris: redirectUris,
  backchannel_logout_uri: webUrl.refine((uri) => !uri.includes('#'), 'must not contain a fragment'),
  id_token_signed_response_alg: z.enum(signingAlgorithms),
  require_pushed_requests: z.boolean().describe('Reject authorization requests that were not pushed (RFC 9126)'),
  dpop_bound_access_tokens: z.boolean().describe('Issue tokens only with a proof of possession (RFC 9449)'),
  send_iss: z.boolean().describe('Whether redirects include `iss` (RFC 9207)'),
  token_exchange: z
    .boolean()
    .describe('Whether the application may exchange tokens for others that act for the user (RFC 8693)'),
  token_exchange_clients: z
    .array(z.string().regex(/^svc_[0-9A-Za-z]{32}$/, 'must be a client id'))
    .max(20, 'must contain at most 20 clients')
    .describe('Other clients that may exchange tokens issued to this one'),
  jwks: keyFields.jwks
    .nullable()
    .describe('Public keys (JSON Web Key Set) that the application authenticates with, instead of a secret (RFC 7523)'),
  jwks_uri: keyFields.jwks_uri.describe('Alternatively, the https address of the key set'),
};
const inputSchema = z.object(openidFields).partial();
type OpenidInput = z.infer<typeof inputSchema>;
type Columns = Updateable<Tables['oauth_applications']>;

/**
 * The settings as columns, the key settings, and the rest of the input; ignored while OpenID Connect is disabled.
 * `send_iss` always applies, since redirects always carry the issuer.
 */
export function openidColumns<T extends OpenidInput>(
  input: T,
  turnedOn: boolean,
): { columns: Columns; keys: KeyInput; rest: Omit<T, keyof OpenidInput> } {
  const {
    post_logout_redirect_uris,
    backchannel_logout_uri,
    id_token_signed_response_alg,
    require_pushed_requests,
    dpop_bound_access_tokens,
    send_iss,
    token_exchange,
    token_exchange_clients,
    jwks,
    jwks_uri,
    ...rest
  } = input;
  const always = send_iss === undefined ? {} : { send_iss: Number(send_iss) };
  if (!turnedOn) return { columns: always, keys: {}, rest };
  const columns: Columns = {
    ...always,
    post_logout_redirect_uris: post_logout_redirect_uris && JSON.stringify(post_logout_redirect_uris),
    backchannel_logout_uri,
    id_token_signed_response_alg,
    require_pushed_requests: asNumber(require_pushed_requests),
    dpop_bound_access_tokens: asNumber(dpop_bound_access_tokens),
    token_exchange: asNumber(token_exchange),
    token_exchange_clients: token_exchange_clients && JSON.stringify(token_exchange_clients),
  };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return { columns: Object.fromEntries(given), keys: { jwks, jwks_uri }, rest };
}

const asNumber = (flag: boolean | undefined): number | undefined => (flag === undefined ? undefined : Number(flag));

export const openidSchema = z
  .object({
    post_logout_redirect_uris: z.array(z.string()),
    backchannel_logout_uri: z.string(),
    id_token_signed_response_alg: z.string(),
    require_pushed_requests: z.boolean(),
    dpop_bound_access_tokens: z.boolean(),
    send_iss: z.boolean(),
    source: z
      .string()
      .describe(
        'Source of the application’s details: its `owner`, the `document` at its client ID, or its own `registration`',
      ),
    token_exchange: z.boolean(),
    token_exchange_clients: z.array(z.string()),
    token_endpoint_auth_method: z
      .enum(ownAuthMethods)
      .describe('Authentication method; a secret may also be sent in the body'),
    jwks: keySetSchema.nullable(),
    jwks_uri: z.string(),
  })
  .partial();

export const openidView = (row: ApplicationRow) => ({
  post_logout_redirect_uris: JSON.parse(row.post_logout_redirect_uris) as string[],
  backchannel_logout_uri: row.backchannel_logout_uri,
  id_token_signed_response_alg: row.id_token_signed_response_alg,
  require_pushed_requests: row.require_pushed_requests === 1,
  dpop_bound_access_tokens: row.dpop_bound_access_tokens === 1,
  send_iss: row.send_iss === 1,
  source: row.source,
  token_exchange: row.token_exchange === 1,
  token_exchange_clients: JSON.parse(row.token_exchange_clients) as string[],
  token_endpoint_auth_method: authMethodOf(row),
  jwks: keysIn(row),
  jwks_uri: row.jwks_uri,
});

/** For the audit log: settings that differ from the defaults. */
export function openidState(row: ApplicationRow): State {
  const usual = { backchannel_logout_uri: '', id_token_signed_response_alg: 'RS256', jwks_uri: '' };
  const { post_logout_redirect_uris: addresses, token_exchange_clients: clients, jwks, ...others } = openidView(row);
  const plain = {
    ...usual,
    ...{ require_pushed_requests: false, dpop_bound_access_tokens: false, send_iss: true, token_exchange: false },
  };
  const unusual = (Object.keys(plain) as (keyof typeof plain)[]).filter((name) => others[name] !== plain[name]);
  return {
    ...(addresses.length > 0 && { post_logout_redirect_uris: addresses }),
    ...(clients.length > 0 && { token_exchange_clients: clients }),
    ...(jwks && { jwks: namesOfKeys(jwks) }),
    ...Object.fromEntries(unusual.map((name) => [name, others[name]])),
  };
}
