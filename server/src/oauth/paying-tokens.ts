import { invalidatedLookup } from '../identity/announcements.ts';
import type { TokenReader, TokenUse } from '../identity/authenticators.ts';
import type { KeyPrincipal } from '../identity/principals.ts';
import { statuses } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { applicationTag, grantsTag } from './announcement-tags.ts';
import { challenge, countCall, requireScope, schemeOf, toUser } from './bearer.ts';
import type { OAuthContext } from './context.ts';
import { readToken } from './credentials.ts';
import { proofOf } from './dpop/proof.ts';
import { isFor } from './resource-indicators.ts';
import { allowanceName, allowanceOf, type OpenAllowance } from './spending.ts';
import { applicationStatus, suspended } from './status.ts';
import { findApplication } from './store/applications.ts';
import type { Client, PresentedToken } from './store/columns.ts';
import { effectiveScopes, isTokenValid } from './token-validity.ts';

/** Everything a request needs of a paying token, cached, so that none reads the database. */
interface WarmToken {
  client: Client;
  token: PresentedToken;
  allowance: OpenAllowance;
  principal: KeyPrincipal;
  /** Of the application, and of the one the user agreed to: if disabled, the token does not work. */
  owners: (number | null)[];
}

type Deps = Pick<
  OAuthContext,
  'db' | 'clock' | 'options' | 'shared' | 'announcements' | 'lookups' | 'lastUsed' | 'baseUrl'
> & {
  cacheSync: Pick<CacheSync, 'heard'>;
};

/** RFC 6750 §3.1, RFC 9449 §7.1, in the error format of the called endpoint. */
const badToken = (scheme: 'bearer' | 'dpop' = 'bearer'): AppError => {
  const message = 'The access token is invalid, expired or revoked.';
  return new AppError('invalid_api_key', message, { headers: challenge(scheme, 'invalid_token', message) });
};
const badProof = (message: string): AppError =>
  new AppError('invalid_api_key', message, { headers: challenge('dpop', 'invalid_dpop_proof', message) });

/** RFC 9449 §7.2: a bound token without its key is stolen, and a bearer token proves no key. */
function proven(deps: Deps, text: string, { jkt }: PresentedToken, { proving }: TokenUse): Promise<void> | undefined {
  if (jkt === null && !proving) return;
  if (jkt === null || !proving) throw badToken(proving ? 'dpop' : 'bearer');
  return proofOf(deps, proving, text).then(
    (key) => {
      if (key === null) throw badProof('A DPoP proof is required.');
      if (key !== jkt) throw badToken('dpop');
    },
    (error: unknown) => {
      throw error instanceof AppError && error.code === 'invalid_dpop_proof' ? badProof(error.message) : error;
    },
  );
}

/**
 * Access tokens with the scope `models:use` in place of API keys: the caller is the user, and the key is the
 * application's spending allowance.
 */
export function openPayingTokens(deps: Deps): TokenReader {
  const { clock, options } = deps;
  const cache = invalidatedLookup<WarmToken>({
    ...deps,
    load: (name) => loadToken(deps, name),
    tagsOf: ({ client, token, allowance, owners, principal: { user } }) => [
      ...[`user:${user.id}`, grantsTag(user.id), `key:${allowance.keyId}`],
      ...owners.map((id) => `user:${id}`),
      ...[applicationTag(client.id), applicationTag(token.granted_by!)],
    ],
    max: 50_000,
  });

  const admit = (warm: WarmToken | null, text: string, use: TokenUse): KeyPrincipal | Promise<KeyPrincipal> => {
    if (!warm) throw badToken();
    const { client, token, principal } = warm;
    const { again, at } = use;
    // RFC 8707 §2: a token for one resource is not valid at another.
    const place = { resource: at ?? `${deps.baseUrl}/v1`, named: at !== undefined };
    if (!isFor(token.access_resource, place)) throw badToken();
    const now = nowSeconds(clock);
    if (token.access_expires_at <= now) throw badToken();
    // The operator may have changed the allowed scopes; all other changes invalidate the entry.
    requireScope({ scopes: effectiveScopes(token, client, options), scheme: schemeOf(token.jkt) }, 'models:use');
    if (again) return principal;
    const count = (): KeyPrincipal | Promise<KeyPrincipal> => {
      const counted = countCall(deps, client);
      deps.lastUsed.saw(token, now);
      return thenMaybe(counted, () => principal);
    };
    return proven(deps, text, token, use)?.then(count) ?? count();
  };

  /** A new month has its own allowance. */
  const isPast = ({ allowance }: WarmToken): boolean =>
    allowance.name !== allowanceName(allowance.consent, nowSeconds(clock));

  return (text, use) => {
    const key = readToken(text);
    const turnedOn = options.get('OAuth2Enabled') && options.get('OAuth2OpenIDConnect');
    if (key?.kind !== 'access' || !turnedOn) throw badToken();
    const name = `${key.id} ${key.hash}`;
    let found = cache.get(name);
    if (found && !(found instanceof Promise) && isPast(found)) {
      cache.forget(name);
      found = cache.get(name);
    }
    return thenMaybe(found, (warm) => admit(warm, text, use));
  };
}

/** Throws if it is invalid; that is not cached. */
async function loadToken(deps: Deps, name: string): Promise<WarmToken | null> {
  const [id, hash] = name.split(' ') as [string, string];
  const found = await deps.lookups.bearer({ kind: 'access', id: Number(id), hash });
  if (!found || found.client.status === applicationStatus.deleted) throw badToken();
  const { client, token, user } = found;
  if (client.status === applicationStatus.suspended) throw suspended();
  if (!isTokenValid(token, client, 'access', nowSeconds(deps.clock)) || user.status !== statuses.enabled)
    throw badToken();
  requireScope({ scopes: effectiveScopes(token, client, deps.options), scheme: schemeOf(token.jkt) }, 'models:use');
  // For an exchanged token, the application the user agreed to: its limit covers all that act for it.
  const application = await findApplication(deps.db, { id: token.granted_by! });
  const allowance = application && (await allowanceOf(deps, user.id, application));
  if (!allowance) throw badToken();
  return {
    client,
    token,
    allowance,
    owners: [client.owner_id, application.owner_id],
    principal: {
      user: toUser(user),
      keyId: allowance.keyId,
      applicationId: client.id,
      models: [],
      unlimited: false,
      limitKey: `key:${allowance.keyId}`,
    },
  };
}
