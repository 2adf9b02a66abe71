import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';
import { authorize, isFresh, mostScopeCharacters, scopesOf } from './authorize.ts';
import { callbackAddress, clientMetadata, documentAddress, isOutdated } from './client-document.ts';
import type { McpDeps } from './context.ts';
import { describeFault, McpFault, rethrowOwn } from './fault.ts';
import type { Grant } from './grant.ts';
import type { CachedGrant, McpCache } from './mcp-cache.ts';
import { ownClientOf } from './own-client.ts';
import { type AccessToken, newKey, proofAlgorithm, proverOf, requireBound } from './proofs.ts';
import { challengeOf } from './sign-in-fetch.ts';
import * as store from './store/grants.ts';
import { bindClient, findServer, isShared, type McpServer } from './store/servers.ts';
import type { UserTokens } from './target.ts';

export type GrantDeps = McpDeps & { known: McpCache };

/** How long a user may take to sign in. */
const attemptSeconds = 15 * 60;

/** The error for callers without a sign-in. */
function notSignedIn(server: McpServer, userId: number): McpFault {
  if (isShared(server)) return new McpFault('no one has signed in to it for the organisation');
  return server.organisationId !== null && userId === server.ownerId
    ? new McpFault('each member has to sign in to it, and a team key belongs to no member')
    : new McpFault('the user has to sign in to it first');
}

/** The library's view of a grant. It writes what it learns into the grant; the caller stores it. */
function providerOf(
  deps: McpDeps,
  server: McpServer,
  grant: Grant,
  key: string | undefined,
  began?: { state: string; url?: URL },
): OAuthClientProvider {
  const address = documentAddress(deps);
  const itself: Pick<OAuthClientProvider, 'clientInformation' | 'saveClientInformation' | 'clientMetadataUrl'> = {
    clientInformation: () => grant.client,
    saveClientInformation: (client) => {
      grant.client = client;
    },
    // Used instead of registration if the authorization server supports client metadata documents.
    ...(address !== undefined && { clientMetadataUrl: address }),
  };
  return {
    redirectUrl: callbackAddress(deps),
    clientMetadata: clientMetadata(deps),
    ...(began && { state: () => began.state }),
    ...(ownClientOf(deps, server) ?? itself),
    tokens: () => grant.tokens,
    dpop: () => (key === undefined ? undefined : proverOf(key)),
    saveTokens: (tokens) => {
      requireBound(tokens, key);
      const seconds = tokens.expires_in;
      grant.tokens = tokens;
      grant.key = key;
      grant.obtainedAt = nowSeconds(deps.clock);
      grant.expiresAt = seconds === undefined ? undefined : nowSeconds(deps.clock) + seconds;
    },
    redirectToAuthorization: (url) => {
      if (began) began.url = url;
    },
    saveCodeVerifier: (verifier) => {
      grant.verifier = verifier;
    },
    codeVerifier: () => grant.verifier ?? '',
    saveDiscoveryState: (discovery) => {
      grant.discovery = discovery;
    },
    discoveryState: () => grant.discovery,
  };
}

export const openedGrant = ({ sealer }: Pick<McpDeps, 'sealer'>, { sealed }: CachedGrant): Grant | null => {
  try {
    return JSON.parse(sealer.open(sealed)) as Grant;
  } catch {
    // Sealed with a key that no longer exists: the user has to sign in again.
    return null;
  }
};

/** Whether there are tokens to call the server with on the user's behalf. */
export async function isSignedIn(deps: McpDeps, server: McpServer, userId: number): Promise<boolean> {
  const stored = await store.findGrant(deps.db, server.id, userId);
  return stored !== null && openedGrant(deps, stored)?.tokens !== undefined;
}

const sealedGrant = ({ sealer }: McpDeps, grant: Grant): string => sealer.seal(JSON.stringify(grant));

/** Returns the URL to send the user's browser to. The existing grant stays valid until the new one is complete. */
export async function beginGrant(
  deps: GrantDeps,
  server: McpServer,
  userId: number,
  /** The user who signs in on behalf of an organisation. */
  nextBy?: number,
): Promise<string> {
  if (server.auth !== 'oauth')
    throw new AppError('invalid_value', `the server ${server.name} does not require its users to sign in`);
  const stored = await store.findGrant(deps.db, server.id, userId);
  // Reuse the client from the previous sign-in; everything else is discovered again.
  const { client, tokens, key, expiresAt, obtainedAt, lacking, sign, by } = (stored && openedGrant(deps, stored)) ?? {};
  const known = client && !isOutdated(deps, client) ? client : undefined;
  const grant: Grant = { client: known, tokens, key, expiresAt, obtainedAt, lacking, sign, by, nextBy };
  const began: { state: string; url?: URL } = { state: randomString(43) };
  try {
    const { proof, ...challenge } = await challengeOf(deps, server);
    const scope = scopesOf(challenge.scope, lacking);
    const asked = { ...challenge, ...(scope !== '' && { scope }), forceReauthorization: true };
    await authorize(deps, server, providerOf(deps, server, grant, undefined, began), asked);
    const alg = proofAlgorithm({ ...(proof && { proof }) }, grant.discovery);
    if (alg) grant.nextKey = await newKey(alg);
  } catch (error) {
    rethrowOwn(error);
    throw refused(server, error);
  }
  if (!began.url || !/^https?:$/.test(began.url.protocol))
    throw refused(server, new McpFault('it does not provide a sign-in page'));
  const kept = { serverId: server.id, userId, sealed: sealedGrant(deps, grant) };
  await store.beginAttempt(deps.db, kept, sha256Hex(began.state), nowSeconds(deps.clock));
  await deps.known.grantChanged(server.id, userId);
  return began.url.href;
}

const refused = (server: McpServer, error: unknown): AppError =>
  new AppError('provider_error', `Signing in to ${server.name} failed: ${describeFault(error, 'anybody', [])}.`);

/**
 * Handles the browser's return from the authorization server. Returns the server, and whether the user is now signed
 * in.
 */
export async function finishGrant(
  deps: GrantDeps,
  /** The user who returns, and the organisation accounts that this user may sign in for. */
  { userId, accountIds }: { userId: number; accountIds: readonly number[] },
  { state, code, iss }: { state: string; code: string | undefined; iss: string | undefined },
): Promise<{ server: McpServer; signedIn: boolean }> {
  const since = nowSeconds(deps.clock) - attemptSeconds;
  const userIds = [userId, ...accountIds];
  const taken = await store.takeAttempt(deps.db, { stateHash: sha256Hex(state), userIds, since });
  const server = taken && (await findServer(deps.db, taken.serverId));
  const grant = taken && openedGrant(deps, taken);
  const isTheirs = grant?.nextBy === undefined ? taken?.userId === userId : grant.nextBy === userId;
  if (!taken || !server || !grant || !isTheirs || (grant.nextBy !== undefined && !isShared(server)))
    throw new AppError('not_found', 'No authorization is in progress. Start again.');
  // The user or the authorization server refused.
  if (code === undefined) return { server, signedIn: false };
  try {
    await authorize(deps, server, providerOf(deps, server, grant, grant.nextKey), { authorizationCode: code, iss });
  } catch (error) {
    rethrowOwn(error);
    deps.log.warn({ server: server.name, fault: describeFault(error, 'anybody', []) }, 'a user could not sign in');
    return { server, signedIn: false };
  }
  // The client's credentials belong to the issuer they were first sent to; if the server names another one later, it is
  // rejected.
  if (server.clientId !== '' && grant.tokens?.issuer) await bindClient(deps.db, server, grant.tokens.issuer);
  const begun = { verifier: undefined, nextKey: undefined, nextBy: undefined };
  if (!(await replace(deps, taken, { ...grant, ...begun, by: grant.nextBy, sign: randomString(8) })))
    throw new AppError('conflict', 'This authorization was restarted in the meantime.');
  return { server, signedIn: true };
}

/**
 * The server said that the token's scopes are insufficient: the next sign-in requests the missing ones besides the
 * present ones.
 */
export async function noteLacking(deps: GrantDeps, server: McpServer, userId: number, scope: string): Promise<void> {
  const stored = await store.findGrant(deps.db, server.id, userId);
  const grant = stored && openedGrant(deps, stored);
  if (!grant) return;
  const lacking = scopesOf(grant.tokens?.scope, grant.lacking, scope);
  if (lacking === grant.lacking || lacking.length > mostScopeCharacters) return;
  // If a concurrent write won, the next refused call records the scopes again.
  await replace(deps, stored, { ...grant, lacking });
}

/**
 * Minimum age of a token before a rejection renews it; otherwise a server that rejects every token would cause a
 * renewal with each call.
 */
const restSeconds = 10;

/** Pause after a failed renewal: some authorization servers lock out clients that ask too often. */
const restMs = 5_000;

/** Users' access tokens for servers that they have signed in to. */
export function openTokens(deps: GrantDeps): UserTokens {
  const renewing = new Map<string, Promise<AccessToken>>();
  /** Each cached grant is unsealed once. */
  const openedBy = new WeakMap<CachedGrant, Grant>();
  /** When a renewal failed. A grant that was written again is a new object, without this entry. */
  const failedMs = new WeakMap<Grant, number>();
  const known = async (server: McpServer, userId: number): Promise<Grant | null> => {
    const sealed = await deps.known.grant(server.id, userId);
    const before = sealed && openedBy.get(sealed);
    if (!sealed || before) return before || null;
    const grant = openedGrant(deps, sealed);
    if (grant) openedBy.set(sealed, grant);
    return grant;
  };
  /** Users who have signed in themselves use their own grant; others use the shared one. */
  const signer = async (server: McpServer, userId: number): Promise<number> =>
    isShared(server) && !(await known(server, userId))?.tokens ? server.ownerId! : userId;
  return {
    signer,
    token: async (server, caller) => {
      const userId = await signer(server, caller);
      const grant = await known(server, userId);
      if (!grant?.tokens) throw notSignedIn(server, userId);
      if (isFresh(deps, grant)) return shownOf(grant, userId);
      if (deps.clock.steadyMs() - (failedMs.get(grant) ?? -restMs) < restMs) throw notSignedIn(server, userId);
      const name = `${server.id} ${userId}`;
      const under = renewing.get(name) ?? renew(deps, server, userId).finally(() => renewing.delete(name));
      renewing.set(name, under);
      under.catch(() => failedMs.set(grant, deps.clock.steadyMs()));
      return under;
    },
    refused: async (server, caller, token) => {
      const userId = await signer(server, caller);
      const stored = await store.findGrant(deps.db, server.id, userId);
      const grant = stored && openedGrant(deps, stored);
      // Another request has already renewed it; this process may not have been notified yet.
      if (grant?.tokens && grant.tokens.access_token !== token) return deps.known.grantChanged(server.id, userId);
      const rested = nowSeconds(deps.clock) - (grant?.obtainedAt ?? 0) >= restSeconds;
      if (!grant?.tokens?.refresh_token || !rested) throw notSignedIn(server, userId);
      await replace(deps, stored!, { ...grant, expiresAt: 0 });
    },
  };
}

/** Only for grants with tokens. */
const shownOf = ({ tokens, key, sign = '' }: Grant, userId: number): AccessToken => ({
  ...{ text: tokens!.access_token, key, sign: `${userId} ${sign}` },
});

/** False if the grant was changed meanwhile. */
async function replace(deps: GrantDeps, before: store.StoredGrant, grant: Grant): Promise<boolean> {
  const done = await store.replaceGrant(deps.db, before, sealedGrant(deps, grant), nowSeconds(deps.clock));
  await deps.known.grantChanged(before.serverId, before.userId);
  return done;
}

async function renew(deps: GrantDeps, server: McpServer, userId: number): Promise<AccessToken> {
  // Read the current row: another request, here or in another process, may have renewed it already, and a token can be
  // renewed only once.
  const before = await store.findGrant(deps.db, server.id, userId);
  const grant = before && openedGrant(deps, before);
  if (!grant?.tokens) throw notSignedIn(server, userId);
  if (isFresh(deps, grant)) return shownOf(grant, userId);
  const renewed: Grant = { ...grant };
  try {
    if (!grant.tokens.refresh_token) throw notSignedIn(server, userId);
    const provider = providerOf(deps, server, renewed, grant.key);
    if ((await authorize(deps, server, provider)) !== 'AUTHORIZED') throw notSignedIn(server, userId);
    if (await replace(deps, before!, renewed)) return shownOf(renewed, userId);
  } catch (error) {
    deps.log.warn({ server: server.name, fault: describeFault(error, 'anybody', []) }, 'a token could not be renewed');
  }
  const now = await store.findGrant(deps.db, server.id, userId);
  const other = now && now.sealed !== before!.sealed ? openedGrant(deps, now) : null;
  if (other?.tokens && isFresh(deps, other)) return shownOf(other, userId);
  throw notSignedIn(server, userId);
}
