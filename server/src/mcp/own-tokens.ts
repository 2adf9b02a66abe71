import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { nowSeconds } from '../lib/clock.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { assertionFor } from './assertions.ts';
import { authorize, earlySeconds, mostScopeCharacters, scopesOf } from './authorize.ts';
import type { Challenge } from './challenge.ts';
import { McpFault, tellFault } from './fault.ts';
import { clientSecretsOf, ownClientOf } from './own-client.ts';
import { type AccessToken, newKey, proofAlgorithm, proverOf, requireBound } from './proofs.ts';
import type { McpDeps } from './room.ts';
import { challengeOf } from './sign-in-fetch.ts';
import * as store from './store/own-grants.ts';
import { bindClient, findServer, type McpServer, signsInItself } from './store/servers.ts';
import type { OwnTokens } from './target.ts';

/** What a server lets the service do in its own name. */
interface OwnGrant {
  /** Hash of the address and the client that it was given to. */
  of: string;
  tokens: StoredOAuthTokens;
  /** What the token is bound to. */
  key?: string | undefined;
  obtainedAt: number;
  /** When the token runs out; absent where the server does not say. */
  expiresAt?: number | undefined;
  /** What the server said is missing, to be asked for besides. */
  lacking?: string | undefined;
}

/** A server that takes no token at all would have a new one asked for with each call. */
const restSeconds = 10;

/** One that refuses the client is left alone for so long, whoever calls: some lock a client out that asks too often. */
const failedMs = 5_000;

export function openOwnTokens(deps: McpDeps): OwnTokens {
  const renewing = new Map<number, Promise<AccessToken>>();
  const failed = new Map<number, { of: string; atMs: number; error: unknown }>();
  const renewOnce = async (server: McpServer): Promise<AccessToken> => {
    const last = failed.get(server.id);
    const isRecent = last?.of === givenTo(server) && deps.clock.steadyMs() - last.atMs < failedMs;
    if (isRecent) throw last.error;
    try {
      const token = await renew(deps, server.id);
      failed.delete(server.id);
      return token;
    } catch (error) {
      failed.set(server.id, { of: givenTo(server), atMs: deps.clock.steadyMs(), error });
      throw error;
    }
  };
  return {
    token: async (server) => {
      const { grant } = await found(deps, server);
      if (grant && isFresh(deps, grant)) return shownOf(grant);
      const under = renewing.get(server.id) ?? renewOnce(server).finally(() => renewing.delete(server.id));
      renewing.set(server.id, under);
      return under;
    },
    refused: async (server, token) => {
      const { grant, sealed } = await found(deps, server);
      if (grant?.tokens.access_token !== token) return;
      if (nowSeconds(deps.clock) - grant.obtainedAt >= restSeconds) await spend(deps, server, sealed, grant);
    },
    lacking: async (server, scope) => {
      const { grant, sealed } = await found(deps, server);
      const lacking = scopesOf(grant?.tokens.scope, grant?.lacking, scope);
      const isNew = scope !== undefined && lacking !== grant?.lacking && lacking.length <= mostScopeCharacters;
      if (!grant || !isNew) return new McpFault('the client that the service signs in with is not allowed this there');
      await spend(deps, server, sealed, { ...grant, lacking });
      return new McpFault('the token of the service was not enough; the next call is made with one for more');
    },
  };
}

/** Resealed or entered again, a client is another: what was given to it is asked for anew, which costs nothing. */
const givenTo = ({ url, clientId, sealedClientSecret, sealedClientKey, assertionFile }: McpServer): string => {
  const client = [url, clientId, sealedClientSecret, sealedClientKey];
  return sha256Hex(JSON.stringify(assertionFile === '' ? client : [...client, assertionFile]));
};

async function found(
  { db, sealer }: McpDeps,
  server: McpServer,
): Promise<{ sealed: string | null; grant: OwnGrant | null }> {
  const sealed = await store.findOwnGrant(db, server.id);
  try {
    const grant = sealed === null ? null : (JSON.parse(sealer.open(sealed)) as OwnGrant);
    return { sealed, grant: grant?.of === givenTo(server) ? grant : null };
  } catch {
    // Sealed with a key that is gone.
    return { sealed, grant: null };
  }
}

const isFresh = ({ clock }: McpDeps, { expiresAt }: OwnGrant): boolean =>
  expiresAt === undefined || nowSeconds(clock) < expiresAt - earlySeconds;

/** Where another was quicker, there is a new one already. */
async function spend(deps: McpDeps, { id }: McpServer, before: string | null, grant: OwnGrant): Promise<void> {
  const sealed = deps.sealer.seal(JSON.stringify({ ...grant, expiresAt: 0 }));
  await store.replaceOwnGrant(deps.db, id, { before, sealed }, nowSeconds(deps.clock));
}

const shownOf = ({ tokens, key }: OwnGrant): AccessToken => ({ text: tokens.access_token, key });

async function renew(deps: McpDeps, id: number): Promise<AccessToken> {
  // As it stands now: whoever asks may have known it from before it was changed.
  const server = await findServer(deps.db, id);
  if (!server || !signsInItself(server)) throw new McpFault('it is not set up');
  const before = await found(deps, server);
  if (before.grant && isFresh(deps, before.grant)) return shownOf(before.grant);
  const grant = await ask(deps, server, before.grant?.lacking);
  // Whom the client was shown first is who it is for: a server that names another one later is not believed.
  if (grant.tokens.issuer) await bindClient(deps.db, server, grant.tokens.issuer);
  const kept = { before: before.sealed, sealed: deps.sealer.seal(JSON.stringify(grant)) };
  if (await store.replaceOwnGrant(deps.db, id, kept, nowSeconds(deps.clock))) return shownOf(grant);
  const other = await found(deps, server);
  return shownOf(other.grant && isFresh(deps, other.grant) ? other.grant : grant);
}

/** RFC 6749 §4.4 or RFC 7523 §2.1, at the authorization server that the server names. */
async function ask(deps: McpDeps, server: McpServer, lacking: string | undefined): Promise<OwnGrant> {
  const secrets = clientSecretsOf(deps, server);
  const got: Got = { secrets };
  try {
    const { proof, ...challenge } = await challengeOf(deps, server);
    const scope = scopesOf(challenge.scope, lacking);
    await authorize(deps, server, providerOf(deps, server, { ...(proof && { proof }) }, got), {
      secrets,
      once: true,
      ...challenge,
      ...(scope !== '' && { scope }),
    });
    if (!got.tokens) throw new McpFault('its authorization server gives no token');
  } catch (error) {
    const why = tellFault(refusalOf(error), 'administrator', secrets);
    deps.log.warn({ server: server.name, fault: why }, 'the service could not sign in to a server');
    throw new McpFault('the service could not sign in to it', `the service could not sign in to it: ${why}`);
  }
  const { tokens, key } = got;
  const obtainedAt = nowSeconds(deps.clock);
  const expiresAt = tokens.expires_in === undefined ? undefined : obtainedAt + tokens.expires_in;
  return { of: givenTo(server), tokens, key, obtainedAt, expiresAt, lacking };
}

/** RFC 6749 §5.2: the word of an authorization server, as it stands. */
function refusalOf(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' && error instanceof Error && error.name === 'OAuthError'
    ? new McpFault(`its authorization server says ${code}: ${message}`)
    : error;
}

/** What comes of asking. */
interface Got {
  /** What was shown on the way. */
  secrets: string[];
  tokens?: StoredOAuthTokens;
  key?: string | undefined;
  discovery?: OAuthDiscoveryState;
}

/** The library's view: no page to send anybody to, so that it asks for a token at once. */
const providerOf = (
  deps: McpDeps,
  server: McpServer,
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
    if (server.auth !== 'jwt_bearer') return asked;
    const assertion = await assertionFor(deps, server, got.discovery);
    got.secrets.push(assertion);
    asked.set('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    asked.set('assertion', assertion);
    return asked;
  },
  redirectToAuthorization: () => {
    throw new McpFault('it wants a user to sign in to it');
  },
  saveCodeVerifier: () => {},
  codeVerifier: () => '',
});
