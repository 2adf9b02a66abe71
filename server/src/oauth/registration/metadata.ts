import type { Updateable } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import { redirectUris, webUrl } from '../address-fields.ts';
import { keyColumns, keyFields } from '../assertion/client-keys.ts';
import { holdsPrivateKey } from '../assertion/key-set.ts';
import { deviceGrant } from '../device/codes.ts';
import { tokenExchangeGrant } from '../grants/actor.ts';
import { openidFields } from '../openid/application.ts';
import { signingAlgorithms } from '../openid/signing-algorithms.ts';
import { allScopes, isListed, joinScopes, splitScopes } from '../scopes.ts';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
const signing: (typeof authMethods)[number] = 'private_key_jwt';

const codeGrant = 'authorization_code';
/** Others continue what one of these began. */
const startingGrants: string[] = [codeGrant, deviceGrant, tokenExchangeGrant];

const names = z.array(z.string().max(100, 'must have at most 100 characters')).max(20, 'must have at most 20 entries');

/** Client metadata (RFC 7591 §2) that is supported; other members are ignored, as §2 requires. */
const metadataSchema = z
  .object({
    client_name: shownName(64).optional(),
    client_uri: webUrl.optional(),
    redirect_uris: redirectUris.default([]),
    token_endpoint_auth_method: z.enum(authMethods).optional(),
    // §2: the default.
    grant_types: names
      .refine(
        (list) => list.some((name) => startingGrants.includes(name)),
        `must include ${startingGrants.join(' or ')}`,
      )
      .default([codeGrant]),
    response_types: names.optional(),
    scope: z.string().max(500, 'must have at most 500 characters').optional(),
    post_logout_redirect_uris: redirectUris.optional(),
    id_token_signed_response_alg: z.enum(signingAlgorithms).optional(),
    // Back-Channel Logout 1.0 §2.2, RFC 9126 §6, RFC 9449 §5.2.
    backchannel_logout_uri: openidFields.backchannel_logout_uri.optional(),
    require_pushed_authorization_requests: z.boolean().optional(),
    dpop_bound_access_tokens: z.boolean().optional(),
    jwks: keyFields.jwks.optional(),
    jwks_uri: keyFields.jwks_uri.optional(),
  })
  .refine(
    ({ token_endpoint_auth_method: method, jwks, jwks_uri }) =>
      method !== signing || Boolean(jwks) !== Boolean(jwks_uri),
    {
      path: ['jwks'],
      message: 'either jwks or jwks_uri is required to identify the signing keys',
    },
  )
  .refine((given) => !redirects(given) || given.redirect_uris.length > 0, {
    path: ['redirect_uris'],
    message: 'must name at least one address',
  })
  .refine(
    ({ response_types: types, ...given }) =>
      types === undefined || types.includes('code') || (!redirects(given) && types.length === 0),
    {
      path: ['response_types'],
      message: 'must name code',
    },
  );
export type Metadata = z.infer<typeof metadataSchema>;

/** §2: addresses are for flows that redirect. */
const redirects = ({ grant_types }: { grant_types: string[] }): boolean => grant_types.includes(codeGrant);

/** What a client may use: of those that register themselves, it is known by their addresses. */
export const grantsOf = (redirectUris: string[]): { grant_types: string[]; response_types: string[] } =>
  redirectUris.length > 0
    ? { grant_types: [codeGrant, 'refresh_token'], response_types: ['code'] }
    : { grant_types: [deviceGrant, tokenExchangeGrant, 'refresh_token'], response_types: [] };

/** Null is the same as an omitted member (RFC 7592 §2.2). */
export const withoutNulls = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** RFC 7591 §3.2.2: the first error, by its standard name. */
export function readMetadata(given: Record<string, unknown>): Metadata {
  const parsed = metadataSchema.safeParse(withKeysThatCount(withoutNulls(given)));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const code = path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  throw new AppError(code, `${path.join('.') || 'The metadata'}: ${message}`, { param: path.join('.') });
}

/** Keys of clients that do not sign are ignored, unless they expose a private one. */
function withKeysThatCount(given: Record<string, unknown>): Record<string, unknown> {
  if (given.token_endpoint_auth_method === signing || holdsPrivateKey(given.jwks)) return given;
  const { jwks: _, jwks_uri: __, ...rest } = given;
  return rest;
}

/** Columns shared by both kinds of clients. */
export const columnsOf = (metadata: Metadata) =>
  ({
    redirect_uris: JSON.stringify(redirects(metadata) ? metadata.redirect_uris : []),
    allowed_scopes: scopesIn(metadata.scope),
    post_logout_redirect_uris: JSON.stringify(metadata.post_logout_redirect_uris ?? []),
    id_token_signed_response_alg: metadata.id_token_signed_response_alg ?? 'RS256',
    backchannel_logout_uri: metadata.backchannel_logout_uri ?? '',
    require_pushed_requests: Number(metadata.require_pushed_authorization_requests ?? false),
    dpop_bound_access_tokens: Number(metadata.dpop_bound_access_tokens ?? false),
    // RFC 7591 §2: clients have a secret by default.
    app_type: metadata.token_endpoint_auth_method === 'none' ? 'public' : 'confidential',
    ...keyColumns(metadata.jwks ? JSON.stringify(metadata.jwks) : '', metadata.jwks_uri ?? ''),
  }) satisfies Updateable<Tables['oauth_applications']>;

/** The existing scopes among the named ones; without any, all that the operator allows. */
const scopesIn = (scope: string | undefined): string =>
  joinScopes(scope === undefined ? allScopes : splitScopes(scope).filter(isListed));

/**
 * Not part of an administrator's review: scopes, which users are asked for, keys, which rotate like secrets, and
 * transport details.
 */
const unlooked: ReadonlySet<string> = new Set([
  'allowed_scopes',
  'id_token_signed_response_alg',
  'backchannel_logout_uri',
  'require_pushed_requests',
  'dpop_bound_access_tokens',
  'jwks',
  'jwks_uri',
] satisfies (keyof ReturnType<typeof columnsOf>)[]);
/** Whether a change of this column revokes the verification. */
export const doubts = (column: string): boolean => !unlooked.has(column);
