import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { nowSeconds } from '../lib/clock.ts';
import { assertionFor } from './assertions.ts';
import { authorize, isFresh, mostScopeCharacters, scopesOf } from './authorize.ts';
import type { Challenge } from './challenge.ts';
import type { McpDeps } from './context.ts';
import { NotVouched, vouchedAssertion } from './enterprise-authorization.ts';
import { describeFault, findFault, McpFault, rethrowOwn } from './fault.ts';
import type { GrantDeps } from './grants.ts';
import { clientSecretsOf, ownClientOf } from './own-client.ts';
import { type AccessToken, newKey, proofAlgorithm, proverOf, requireBound } from './proofs.ts';
import { challengeOf } from './sign-in-fetch.ts';
import { bindClient, findServer, type McpServer, signsInItself } from './store/servers.ts';
import type { OwnTokens } from './target.ts';
import { type TokenSlot, tokenSlotOf } from './token-slots.ts';

/** The service's authorization at a server: its own, or for a user whom a provider vouches for. */
interface OwnGrant {
  /** Hash of the address and client that it was issued to. */
  of: string;
  tokens: StoredOAuthTokens;
  /** The key that the token is bound to. */
  key?: string | undefined;
  obtainedAt: number;
  /** When the token expires; absent if the server does not say. */
  expiresAt?: number | undefined;
  /** Scopes that the server said are missing, to be requested as well. */
  lacking?: string | undefined;
}

/**
 * Minimum age of a token before a rejection renews it; otherwise a server that rejects every token would cause a
 * renewal with each call.
 */
const restSeconds = 10;

/** Pause after a refusal, for all callers: some authorization servers lock out clients that ask too often. */
const failedMs = 5_000;

/** More than fail at the same time; after an eviction the next call simply asks again. */
const mostFailed = 1_000;

export function openOwnTokens(deps: GrantDeps): OwnTokens {
  const renewing = new Map<string, Promise<AccessToken>>();
  const failed = new Map<string, { of: string; atMs: number; error: unknown }>();
  const renewOnce = async (server: McpServer, { name, of, userId }: TokenSlot): Promise<AccessToken> => {
    const last = failed.get(name);
    const isRecent = last?.of === of && deps.clock.steadyMs() - last.atMs < failedMs;
    if (isRecent) throw last.error;
    failed.delete(name);
    try {
      return await renew(deps, server.id, userId);
    } catch (error) {
      failed.set(name, { of, atMs: deps.clock.steadyMs(), error });
      if (failed.size > mostFailed) failed.delete(failed.keys().next().value!);
      throw error;
    }
  };
  return {
    token: async (server, userId) => {
      const place = await tokenSlotOf(deps, server, userId);
      const { grant } = await found(deps, place, place.known);
      if (grant && isFresh(deps, grant)) return shownOf(grant);
      const { name } = place;
      const under = renewing.get(name) ?? renewOnce(server, place).finally(() => renewing.delete(name));
      renewing.set(name, under);
      return under;
    },
    refused: async (server, userId, token) => {
      const place = await tokenSlotOf(deps, server, userId);
      const { grant, sealed } = await found(deps, place);
      // Another request has already renewed it; this process may not have been notified yet.
      if (grant?.tokens.access_token !== token) return deps.known.grantChanged(server.id, userId);
      if (nowSeconds(deps.clock) - grant.obtainedAt >= restSeconds) await spend(deps, place, sealed, grant);
    },
    lacking: async (server, userId, scope) => {
      const place = await tokenSlotOf(deps, server, userId);
      const { grant, sealed } = await found(deps, place);
      const lacking = scopesOf(grant?.tokens.scope, grant?.lacking, scope);
      const isNew = scope !== undefined && lacking !== grant?.lacking && lacking.length <= mostScopeCharacters;
      if (!grant || !isNew)
        return new McpFault('the client that the service signs in with does not have this permission there');
      await spend(deps, place, sealed, { ...grant, lacking });
      return new McpFault("the service's token did not have enough permissions; the next call uses one with more");
    },
  };
}

async function found(
  { sealer }: McpDeps,
  place: TokenSlot,
  find = place.find,
): Promise<{ sealed: string | null; grant: OwnGrant | null }> {
  const sealed = await find();
  try {
    const grant = sealed === null ? null : (JSON.parse(sealer.open(sealed)) as OwnGrant);
    return { sealed, grant: grant?.of === place.of ? grant : null };
  } catch {
    // Sealed with a key that no longer exists.
    return { sealed, grant: null };
  }
}

/** Marks the token as expired. If a concurrent write won, there is a new one already. */
async function spend(deps: McpDeps, place: TokenSlot, before: string | null, grant: OwnGrant): Promise<void> {
  await place.replace(before, deps.sealer.seal(JSON.stringify({ ...grant, expiresAt: 0 })));
}

const shownOf = ({ tokens, key }: OwnGrant): AccessToken => ({ text: tokens.access_token, key });

async function renew(deps: GrantDeps, id: number, userId: number | null): Promise<AccessToken> {
  // Read the current row: the caller's copy may be outdated.
  const server = await findServer(deps.db, id);
  const isAsked = server && (userId === null ? signsInItself(server) : server.auth === 'enterprise');
  if (!isAsked) throw new McpFault('it is not configured');
  const place = await tokenSlotOf(deps, server, userId);
  const before = await found(deps, place);
  if (before.grant && isFresh(deps, before.grant)) return shownOf(before.grant);
  const grant = await ask(deps, server, place, before.grant?.lacking);
  // The client's credentials belong to the issuer they were first sent to; if the server names another one later, it is
  // rejected.
  if (grant.tokens.issuer) await bindClient(deps.db, server, grant.tokens.issuer);
  if (await place.replace(before.sealed, deps.sealer.seal(JSON.stringify(grant)))) return shownOf(grant);
  const other = await found(deps, place);
  return shownOf(other.grant && isFresh(deps, other.grant) ? other.grant : grant);
}

/** RFC 6749 §4.4 or RFC 7523 §2.1, at the authorization server that the server names. */
async function ask(
  deps: McpDeps,
  server: McpServer,
  { of, userId }: TokenSlot,
  lacking: string | undefined,
): Promise<OwnGrant> {
  const secrets = clientSecretsOf(deps, server);
  const got: Got = { secrets };
  try {
    const { proof, ...challenge } = await challengeOf(deps, server);
    const scope = scopesOf(challenge.scope, lacking);
    await authorize(deps, server, providerOf(deps, server, userId, { ...(proof && { proof }) }, got), {
      secrets,
      once: true,
      ...challenge,
      ...(scope !== '' && { scope }),
    });
    if (!got.tokens) throw new McpFault('its authorization server did not issue a token');
  } catch (error) {
    rethrowOwn(error);
    const why = describeFault(refusalOf(error), 'administrator', secrets);
    deps.log.warn({ server: server.name, fault: why }, 'the service could not sign in to a server');
    const told = findFault(error);
    // Tells the user, or the provider's administrator, what to do.
    if (told instanceof NotVouched) throw told;
    throw new McpFault('the service could not sign in to it', `the service could not sign in to it: ${why}`);
  }
  const { tokens, key } = got;
  const obtainedAt = nowSeconds(deps.clock);
  const expiresAt = tokens.expires_in === undefined ? undefined : obtainedAt + tokens.expires_in;
  return { of, tokens, key, obtainedAt, expiresAt, lacking };
}

/** RFC 6749 §5.2: the authorization server's error, unchanged. */
function refusalOf(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' && error instanceof Error && error.name === 'OAuthError'
    ? new McpFault(`its authorization server returned ${code}: ${message}`)
    : error;
}

/** The result of a token request. */
interface Got {
  /** Secrets that were sent, to be redacted. */
  secrets: string[];
  tokens?: StoredOAuthTokens;
  key?: string | undefined;
  discovery?: OAuthDiscoveryState;
  resource?: string;
}

/** The library's view: without a redirect URL it requests a token directly. */
const providerOf = (
  deps: McpDeps,
  server: McpServer,
  userId: number | null,
  challenge: Pick<Challenge, 'proof'>,
  got: Got,
): OAuthClientProvider => ({
  redirectUrl: undefined,
  clientMetadata: { client_name: 'svc', redirect_uris: [] },
  ...ownClientOf(deps, server)!,
  tokens: () => undefined,
  saveDiscoveryState: (discovery) => {
    got.discovery = discovery;
  },
  saveResourceUrl: (resource) => {
    got.resource = resource;
  },
  dpop: async () => {
    const alg = proofAlgorithm(challenge, got.discovery);
    got.key = alg ? await newKey(alg) : undefined;
    return got.key === undefined ? undefined : proverOf(got.key);
  },
  saveTokens: (tokens) => {
    requireBound(tokens, got.key);
    got.tokens = tokens;
  },
  prepareTokenRequest: async (scope) => {
    const asked = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
    if (server.auth === 'client_credentials') return asked;
    const assertion =
      userId === null
        ? await assertionFor(deps, server, got.discovery)
        : await vouchedAssertion(deps, server, userId, { ...got, scope });
    got.secrets.push(assertion);
    asked.set('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    asked.set('assertion', assertion);
    return asked;
  },
  redirectToAuthorization: () => {
    throw new McpFault('it requires a user to sign in');
  },
  saveCodeVerifier: () => {},
  codeVerifier: () => '',
});
