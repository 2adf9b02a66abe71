import { statuses, type User } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { errorDescription } from '../lib/error-shapes.ts';
import { AppError } from '../lib/errors.ts';
import { type MaybePromise, thenMaybe } from '../lib/maybe-promise.ts';
import type { OAuthContext } from './context.ts';
import { readToken, type TokenKey } from './credentials.ts';
import { proofAlgorithms } from './dpop/key.ts';
import { proofOf } from './dpop/proof.ts';
import { type Audience, isFor } from './resource-indicators.ts';
import type { Scope } from './scopes.ts';
import { applicationStatus, requireEnabled, suspended } from './status.ts';
import type { Client, UserColumns } from './store/columns.ts';
import type { Lookups } from './store/lookups.ts';
import { effectiveScopes, isTokenValid } from './token-validity.ts';

/** The caller of an access token: a user, through an application, within scopes. */
export interface BearerPrincipal {
  user: User;
  applicationId: number;
  tokenId: number;
  scopes: Scope[];
  /** How the token was presented. */
  scheme: Scheme;
  limitKey: string;
}

declare module '../platform/http/route.ts' {
  interface Principals {
    bearer: BearerPrincipal;
    /** The same, and by a token in a form. */
    postedBearer: BearerPrincipal;
  }
}

const hourMs = 3_600_000;

/** RFC 6750 §3: without a token only the scheme is named; with a bad token, the error. */
export const noToken = (): AppError =>
  new AppError('invalid_token', 'Send an access token as Authorization: Bearer svcat_…', {
    headers: { 'www-authenticate': 'Bearer realm="svc"' },
  });
export const badToken = (scheme: Scheme = 'bearer'): AppError => {
  const message = 'The access token is invalid, expired or revoked.';
  return new AppError('invalid_token', message, { headers: challenge(scheme, 'invalid_token', message) });
};

type Scheme = 'bearer' | 'dpop';
/** The scheme of a token bound to this key. */
export const schemeOf = (key: string | null): Scheme => (key === null ? 'bearer' : 'dpop');

/** RFC 6750 §3, RFC 9449 §7.1. */
export const challenge = (scheme: Scheme, error: string, message: string) => {
  const told = `realm="svc", error="${error}", error_description="${errorDescription(message)}"`;
  const value = scheme === 'dpop' ? `DPoP ${told}, algs="${proofAlgorithms.join(' ')}"` : `Bearer ${told}`;
  return { 'www-authenticate': value };
};

type Asked = Pick<Request, 'headers' | 'method' | 'url'>;

/**
 * RFC 6750 §2.1: the header; a token in a query string ends up in logs (RFC 9700 §4.3.2). `again`: its answer goes on for
 * long, and it is neither counted nor proven once more.
 */
export function identifyBearer(
  deps: OAuthContext,
  request: Asked,
  audience: Audience,
  again = false,
): BearerPrincipal | Promise<BearerPrincipal> {
  const authorization = request.headers.get('authorization');
  const [, written = '', token] = /^(bearer|dpop) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  const isBound = written.toLowerCase() === 'dpop';
  if (!token || (isBound && !deps.options.get('OAuth2OpenIDConnect')))
    throw authorization === null ? noToken() : badToken();
  if (!isBound || again) return identifyToken(deps, token, audience, { scheme: isBound ? 'dpop' : 'bearer', again });
  return identifyBound(deps, request, token, audience);
}

/** A token that needs no proof: not bound, or already proven. */
export function identifyToken(
  deps: OAuthContext,
  token: string,
  audience: Audience,
  { scheme, again }: { scheme: Scheme; again: boolean } = { scheme: 'bearer', again: false },
): BearerPrincipal | Promise<BearerPrincipal> {
  const key = readAccessToken(deps, token, scheme);
  return thenMaybe(deps.lookups.bearer(key), (found) =>
    principalOf(deps, found, audience, (again && found?.token.jkt) || null, again),
  );
}

function readAccessToken({ options }: OAuthContext, token: string, scheme: Scheme): TokenKey {
  requireEnabled(options);
  const key = readToken(token);
  if (key?.kind !== 'access') throw badToken(scheme);
  return key;
}

/** RFC 9449 §7: the token and a proof of its key, required only for bound tokens. */
async function identifyBound(
  deps: OAuthContext,
  request: Asked,
  token: string,
  audience: Audience,
): Promise<BearerPrincipal> {
  const found = await deps.lookups.bearer(readAccessToken(deps, token, 'dpop'));
  if (!found || found.token.jkt === null) throw badToken('dpop');
  const proofKey = await proofOf(deps, request, token).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'invalid_dpop_proof' ? badProof(error.message) : error;
  });
  if (proofKey === null) throw badProof('A DPoP proof is required.');
  return principalOf(deps, found, audience, proofKey);
}

const badProof = (message: string): AppError =>
  new AppError('invalid_dpop_proof', message, {
    status: 401,
    headers: challenge('dpop', 'invalid_dpop_proof', message),
  });

function principalOf(
  deps: OAuthContext,
  found: Awaited<ReturnType<Lookups['bearer']>>,
  audience: Audience,
  proofKey: string | null,
  again = false,
): BearerPrincipal | Promise<BearerPrincipal> {
  const now = nowSeconds(deps.clock);
  const scheme = schemeOf(proofKey);
  if (!found || found.client.status === applicationStatus.deleted) throw badToken(scheme);
  const { client, token: row, user } = found;
  // A suspended application's tokens are refused on every use, with the reason.
  if (client.status === applicationStatus.suspended) throw suspended();
  if (!isTokenValid(row, client, 'access', now) || user.status !== statuses.enabled) throw badToken(scheme);
  // RFC 9449 §7.2: a bound token without its key is stolen, and a bearer token proves no key.
  if (row.jkt !== proofKey) throw badToken(scheme);
  // RFC 8707 §2: a token for one resource is not valid at another.
  if (!isFor(row.access_resource, audience)) throw badToken(scheme);
  const principal: BearerPrincipal = {
    user: toUser(user),
    applicationId: client.id,
    tokenId: row.id,
    scopes: effectiveScopes(row, client, deps.options),
    scheme,
    // Its calls must not use up the user's own, or another application's.
    limitKey: `user:${user.id}:application:${client.id}`,
  };
  if (again) return principal;
  return thenMaybe(countCall(deps, client), () => {
    deps.lastUsed.saw(row, now);
    return principal;
  });
}

/** The application's rate limit over all its tokens, calls per hour; 0 is none. */
export function countCall(
  deps: Pick<OAuthContext, 'options' | 'shared'>,
  client: Pick<Client, 'id' | 'rate_limit'>,
): MaybePromise<void> {
  const { options, shared } = deps;
  if (client.rate_limit <= 0 || !options.get('RateLimitEnabled') || !options.get('AppRateLimitEnabled')) return;
  const check = (state: Awaited<ReturnType<typeof shared.hit>>) => {
    if (state.allowed) return;
    const seconds = Math.max(1, Math.ceil(state.resetMs / 1000));
    throw new AppError('rate_limit_exceeded', `This application is limited to ${state.limit} calls per hour.`, {
      headers: {
        'retry-after': `${seconds}`,
        'ratelimit-limit': `${state.limit}`,
        'ratelimit-remaining': '0',
        'ratelimit-reset': `${seconds}`,
      },
    });
  };
  return thenMaybe(shared.hit(`oauth-application:${client.id}`, client.rate_limit, hourMs), check);
}

export const toUser = (row: UserColumns): User => ({ ...row, email_verified: row.email_verified === 1 });

/** RFC 6750 §3.1, RFC 9449 §7.1: names the missing scope. */
export function requireScope(
  { scopes, scheme }: Pick<BearerPrincipal, 'scheme'> & { scopes: readonly Scope[] },
  scope: Scope,
): void {
  if (scopes.includes(scope)) return;
  const message = `This call requires the scope ${scope}.`;
  const told = challenge(scheme, 'insufficient_scope', message)['www-authenticate'];
  throw new AppError('insufficient_scope', message, {
    headers: { 'www-authenticate': `${told}, scope="${scope}"` },
    body: { scope },
  });
}
