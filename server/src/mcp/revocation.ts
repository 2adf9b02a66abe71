import type { StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Job } from '../platform/durable/jobs.ts';
import { signedBy } from './client-key.ts';
import { presentSecret } from './client-secret.ts';
import type { McpDeps } from './context.ts';
import { describeFault, McpFault, secretsOf } from './fault.ts';
import type { Grant, RevokeTokens } from './grant.ts';
import { ownClientParts } from './own-client.ts';
import { fetchForSignIn } from './sign-in-fetch.ts';
import type { McpServer } from './store/servers.ts';

/*
 * Revokes tokens that are no longer needed (RFC 7009); otherwise somebody with an old backup of our database could
 * still use them. Done in the background: callers do not wait for the authorization server.
 */

const queue = 'mcp.revoke';
/** Retried for some hours; then the token is left to expire. */
const tries = { maxAttempts: 12, backoffMs: 5_000 };

interface GivenBack {
  server: string;
  /** The URL its metadata is found at, and its issuer. */
  authorizationServer: string;
  issuer: string;
  token: string;
  kind: 'refresh_token' | 'access_token';
  client: StoredOAuthClientInformation;
  /** Signs assertions, in place of a secret. */
  key: string;
}

/** Jobs are durable. Their data is sealed, because it contains credentials for another service. */
export function openRevocation(deps: McpDeps): RevokeTokens {
  const { jobs, sealer } = deps;
  const away: Away = new Map();
  jobs.work(queue, { concurrency: 4 }, async (job) => {
    const given = unsealed(deps, job.data);
    if (given) await give(deps, given, job, away);
  });
  return async (server, grant) => {
    const given = givenBackOf(deps, server, grant);
    if (!given) return;
    await jobs.enqueue(queue, { sealed: sealer.seal(JSON.stringify(given)) }, tries);
  };
}

/** Null if there is nothing to revoke, or the authorization server or our client there is unknown. */
function givenBackOf(deps: McpDeps, server: McpServer, { tokens, discovery, client }: Grant): GivenBack | null {
  const issuer = discovery?.authorizationServerMetadata?.issuer;
  if (!tokens || !discovery || issuer === undefined) return null;
  // If a sign-in at another issuer has begun meanwhile, only that one's metadata is known.
  if (tokens.issuer !== undefined && tokens.issuer !== issuer) return null;
  const byHand = clientByHand(deps, server);
  const known = byHand?.client ?? client;
  if (!known) return null;
  return {
    ...{ server: server.name, authorizationServer: String(discovery.authorizationServerUrl), issuer },
    // RFC 7009 §2.1: revoking the refresh token revokes the grant's access tokens too.
    token: tokens.refresh_token ?? tokens.access_token,
    kind: tokens.refresh_token === undefined ? 'access_token' : 'refresh_token',
    client: known,
    key: byHand?.key ?? '',
  };
}

/** If the client's credentials cannot be unsealed, nothing is revoked, and nothing fails because of it. */
function clientByHand(deps: McpDeps, server: McpServer): ReturnType<typeof ownClientParts> {
  try {
    return ownClientParts(deps, server);
  } catch {
    return null;
  }
}

function unsealed({ sealer, log }: McpDeps, data: unknown): GivenBack | null {
  try {
    // Sealed data can only have been written by `openRevocation`.
    return JSON.parse(sealer.open((data as { sealed: string }).sealed)) as GivenBack;
  } catch {
    log.warn('a token was not revoked: it was encrypted with a key that no longer exists');
    return null;
  }
}

/** After a failure, further tokens of the same issuer (there may be thousands) do not wait for it again this soon. */
const awayMs = 4_000;
const mostAway = 1_000;

/** Throws in order to be retried, except on the last attempt: a failed revocation needs nobody's attention. */
async function give(deps: McpDeps, given: GivenBack, { attempt, signal }: Job, away: Away): Promise<void> {
  const secrets = secretsOf([given.token, given.client.client_secret ?? '']);
  const { issuer } = given;
  const nowMs = deps.clock.steadyMs;
  try {
    if (nowMs() - (away.get(issuer) ?? -awayMs) < awayMs) throw new McpFault('it was unreachable a moment ago');
    await revoke(deps, given, secrets, signal).catch((error) => {
      if (away.size >= mostAway) away.clear();
      if (!(error instanceof Refused)) away.set(issuer, nowMs());
      throw error;
    });
  } catch (error) {
    if (signal.aborted || (attempt < tries.maxAttempts && !(error instanceof Refused))) throw error;
    deps.log.warn(
      { server: given.server, fault: describeFault(error, 'administrator', secrets) },
      'a token was not revoked',
    );
  }
}

/** When an authorization server was last unreachable, by issuer. */
type Away = Map<string, number>;

/** A refusal that a retry would not change. */
class Refused extends McpFault {}

const endpoints = z.looseObject({
  issuer: z.string(),
  revocation_endpoint: z.string().optional(),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
type Endpoints = z.infer<typeof endpoints>;

async function revoke(deps: McpDeps, given: GivenBack, secrets: string[], signal: AbortSignal): Promise<void> {
  const library = await import('@modelcontextprotocol/client');
  const ask = fetchForSignIn(deps, secrets);
  const found = await documentOf(ask, library.buildDiscoveryUrls(given.authorizationServer), given.issuer, signal);
  if (found?.revocation_endpoint === undefined) return;
  const place = URL.parse(found.revocation_endpoint);
  if (!place || !isSecure(place, library.assertSecureTokenEndpoint))
    throw new Refused('its authorization server accepts revocations only over an unencrypted connection');
  const params = new URLSearchParams({ token: given.token, token_type_hint: given.kind });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
  await authenticate(deps, given, { found, place, headers, params }, library.selectClientAuthMethod);
  const { status } = await ask(place, { method: 'POST', headers, body: params, signal });
  // RFC 7009 §2.2: an unknown token counts as revoked, and 503 asks for a retry.
  if (status >= 200 && status < 300) return;
  const words = `its authorization server returned status ${status}`;
  throw status >= 500 || status === 429 ? new McpFault(words) : new Refused(words);
}

function isSecure(place: URL, check: (place: URL) => unknown): boolean {
  try {
    check(place);
    return true;
  } catch {
    return false;
  }
}

type Ask = ReturnType<typeof fetchForSignIn>;

/** Fetches the metadata itself: the library drops the revocation endpoint of OpenID Connect documents. */
async function documentOf(
  ask: Ask,
  places: { url: URL }[],
  issuer: string,
  signal: AbortSignal,
): Promise<Endpoints | null> {
  for (const { url } of places) {
    const answer = await ask(url, { signal, headers: { accept: 'application/json' } });
    if (answer.status >= 500) throw new McpFault(`its authorization server returned status ${answer.status}`);
    const { data } = endpoints.safeParse(answer.ok ? await answer.json().catch(() => null) : null);
    // RFC 8414 §3.3: do not send a token to a server with another issuer.
    if (data?.issuer === issuer) return data;
  }
  return null;
}

interface Asking {
  found: Endpoints;
  place: URL;
  headers: Headers;
  params: URLSearchParams;
}

/** Authenticates as at the token endpoint, unless the metadata says otherwise. */
async function authenticate(
  { clock }: McpDeps,
  { client, key }: GivenBack,
  { found, place, headers, params }: Asking,
  choose: (client: StoredOAuthClientInformation, methods: string[]) => string,
): Promise<void> {
  // The library's type of the metadata requires more fields than signing needs.
  if (key !== '') return signedBy(clock, client.client_id, key)(headers, params, place, found as never);
  const methods = found.revocation_endpoint_auth_methods_supported ?? found.token_endpoint_auth_methods_supported ?? [];
  presentSecret(client, choose(client, methods), { headers, params });
}
