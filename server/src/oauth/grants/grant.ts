import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { isTaken } from '../../platform/durable/errors.ts';
import { type ClientCredentials, invalidClient, provesClient } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { newTokens } from '../credentials.ts';
import { joinScopes, type Scope } from '../scopes.ts';
import { applicationStatus, suspended } from '../status.ts';
import type { Client } from '../store/columns.ts';
import type { NewPair } from '../store/issue.ts';

export type GrantDeps = Pick<
  OAuthContext,
  | 'db'
  | 'clock'
  | 'options'
  | 'lookups'
  | 'announcements'
  | 'audit'
  | 'issuer'
  | 'nextTokenId'
  | 'signingKeys'
  | 'resources'
  | 'baseUrl'
>;

/** The result of a grant; the route renders and audits it. */
export interface Issued {
  applicationId: number;
  userId: number;
  accessToken: string;
  /** Null if there is none. */
  refreshToken: string | null;
  expiresIn: number;
  scope: string;
  /** The key the access token is bound to; null for a bearer token. */
  jkt: string | null;
  /** The access token's resource; null if none was named. */
  resource: string | null;
  /** If one was requested. */
  idToken?: string;
  /** Of an exchanged token (RFC 8693 §2.2.1). */
  issuedTokenType?: string;
  /** Extra details for the audit log. */
  told?: Record<string, unknown>;
}

export const invalidGrant = (message: string): AppError => new AppError('invalid_grant', message);

/** RFC 6749 §3.2.1: authenticates the client before anything is said about its grant. */
export function authenticate(client: Client | null, credentials: ClientCredentials): Client {
  const proven = provesClient(client, credentials);
  if (!client || !proven || client.status === applicationStatus.deleted) throw invalidClient();
  if (client.status === applicationStatus.suspended) throw suspended();
  return client;
}

/** RFC 9449 §5.2: once bound, always bound: a client cannot get bearer tokens by omitting the proof. */
export function requireProof(
  { options }: Pick<OAuthContext, 'options'>,
  client: Client,
  proofKey: string | null,
  boundBefore = false,
): void {
  if (proofKey !== null || !options.get('OAuth2OpenIDConnect')) return;
  if (boundBefore || client.dpop_bound_access_tokens === 1)
    throw new AppError('invalid_dpop_proof', 'A DPoP proof is required.');
}

type Granted = Pick<
  NewPair,
  'family' | 'application_id' | 'user_id' | 'scope' | 'epoch' | 'sign_in' | 'resource' | 'jkt'
> & {
  /** Upper bound of the access token's lifetime. */
  notAfter?: number;
};
/** The part of the grant that the access token covers. */
interface Access {
  scopes: Scope[];
  resource: string | null;
}
type DrawDeps = Pick<OAuthContext, 'clock' | 'options' | 'nextTokenId'>;

/** Retries after an id collision between processes, bounded. */
const mostDraws = 5;

/** Creates a pair and writes it with `spend`, which consumes the grant; null if it was consumed before. */
export async function issuePair(
  deps: DrawDeps,
  granted: Granted,
  access: Access,
  spend: (row: NewPair) => Promise<boolean>,
): Promise<Issued | null> {
  for (let draw = 1; ; draw += 1) {
    const { row, issued } = drawPair(deps, granted, access);
    try {
      return (await spend(row)) ? issued : null;
    } catch (error) {
      if (draw === mostDraws || !isTaken(error)) throw error;
    }
  }
}

function drawPair(deps: DrawDeps, grant: Granted, access: Access): { row: NewPair; issued: Issued } {
  const nowMs = deps.clock.nowMs();
  const now = Math.floor(nowMs / 1000);
  const { notAfter = Number.POSITIVE_INFINITY } = grant;
  const expiresIn = Math.min(deps.options.get('OAuth2AccessTokenTTL'), notAfter - now);
  const id = deps.nextTokenId(nowMs);
  const { accessToken, refreshToken } = newTokens(id);
  const scope = joinScopes(access.scopes);
  const { resource } = access;
  return {
    row: {
      id,
      family: grant.family,
      application_id: grant.application_id,
      user_id: grant.user_id,
      access_hash: sha256Hex(accessToken),
      access_scope: scope,
      access_expires_at: now + expiresIn,
      refresh_hash: sha256Hex(refreshToken),
      scope: grant.scope,
      expires_at: now + deps.options.get('OAuth2RefreshTokenTTL'),
      epoch: grant.epoch,
      created_at: now,
      sign_in: grant.sign_in,
      jkt: grant.jkt,
      resource: grant.resource,
      access_resource: resource,
    },
    issued: {
      ...{ applicationId: grant.application_id, userId: grant.user_id, accessToken, refreshToken },
      ...{ expiresIn, scope, resource, jkt: grant.jkt },
    },
  };
}
