import type { LingerTimer } from '../lib/linger-timer.ts';
import type { Sealer } from '../lib/seal.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import { mostAskedMs } from './call-timeout.ts';
import { capabilitiesOfHolder, decodeCapabilities, sharedSessionName } from './client-capabilities.ts';
import type { Target } from './connection.ts';
import { McpFault } from './fault.ts';
import type { AccessToken } from './proofs.ts';
import type { SentTokens } from './sent-tokens.ts';
import { type AuthKind, isOfUsers, type McpServer, signsInItself } from './store/servers.ts';

/**
 * Tokens that the service requests without a user's interaction: its own, one per server and shared by all who may use
 * the server (`userId` null), or one per user whom a provider vouches for.
 */
export interface OwnTokens {
  /** Renewed before it expires; concurrent callers share one request. */
  token(server: McpServer, userId: number | null): Promise<AccessToken>;
  /** The server rejected the token: a new one is requested next. */
  refused(server: McpServer, userId: number | null, token: string): Promise<void>;
  /** The server accepted the token, but its scopes are insufficient. Returns the error for the caller. */
  lacking(server: McpServer, userId: number | null, scope: string | undefined): Promise<McpFault>;
}

/** Tokens of users who have signed in to a server. */
export interface UserTokens {
  /** The user whose sign-in applies to a user's calls. */
  signer(server: McpServer, userId: number): Promise<number>;
  /** Renewed when it has expired; concurrent callers share one request. */
  token(server: McpServer, userId: number): Promise<AccessToken>;
  /** The server rejected the token: a new one is requested next. Throws if there is none. */
  refused(server: McpServer, userId: number, token: string): Promise<void>;
}

/** What is needed to call a server on behalf of a holder. */
export interface TargetDeps {
  sealer: Sealer;
  allowPrivate: boolean;
  lines?: UpstreamConnections | undefined;
  /** Watches calls that take long. */
  slow: LingerTimer;
  userTokens: UserTokens;
  ownTokens: OwnTokens;
  /** Noted, so that they are redacted from answers. */
  sentTokens: SentTokens;
  /** Records that a user's token lacks scopes. */
  lacking(server: McpServer, userId: number, scope: string): Promise<void>;
}

/** The holder of sessions that all users of a server share. */
const anybody = '';

/** The holder for requests that could share one session, unless the server distinguishes users. */
export const holderFor = (server: McpServer, userId: number): string => (isOfUsers(server) ? `${userId}` : anybody);

/** The same for listings as shown to clients with these capabilities; no client is asked anything in such a session. */
export const listingHolder = (server: McpServer, userId: number, abilities: string): string =>
  abilities === '' ? holderFor(server, userId) : `${holderFor(server, userId)} ${sharedSessionName(abilities)}`;

/** A holder's name starts with the user's id; null for the shared one. */
export const userOf = (holder: string): number | null => (holder === anybody ? null : Number.parseInt(holder, 10));

/** Unsealed; only to be sent to the server. */
export function headersOf(
  { sealer }: Pick<TargetDeps, 'sealer'>,
  { sealedHeaders }: McpServer,
): Record<string, string> {
  try {
    return sealedHeaders === '' ? {} : (JSON.parse(sealer.open(sealedHeaders)) as Record<string, string>);
  } catch {
    const words = 'its headers cannot be decrypted with the current ENCRYPTION_KEY; enter them again';
    throw new McpFault('it is not configured', words);
  }
}

/** Protocol extensions that clients declare. */
const extensionOf: Partial<Record<AuthKind, string>> = {
  client_credentials: 'io.modelcontextprotocol/oauth-client-credentials',
  enterprise: 'io.modelcontextprotocol/enterprise-managed-authorization',
};

/** The server to call, and the user to call it for, if it distinguishes users. */
export function targetOf(
  { sealer, allowPrivate, lines, slow, userTokens, ownTokens, sentTokens, lacking }: TargetDeps,
  server: McpServer,
  holder: string,
  /** Of the session that is resumed. */
  sign?: string,
): Target {
  const headers = headersOf({ sealer }, server);
  const { name, url, timeoutMs } = server;
  const target = { name, url, headers, timeoutMs, allowPrivate, lines, slow, ...asking(server, holder) };
  if (server.auth === 'headers') return target;
  const userId = isOfUsers(server) ? userOf(holder) : null;
  if (isOfUsers(server) && userId === null) throw new McpFault('it is only for users who sign in to it');
  const noted = async (asked: Promise<AccessToken>): Promise<AccessToken> => {
    const token = await asked;
    sentTokens.note(server, userId, token.text);
    return token;
  };
  if (server.auth !== 'oauth' || userId === null) {
    const extension = extensionOf[server.auth];
    return {
      ...target,
      ...(extension !== undefined && { extensions: [extension] }),
      token: () => noted(ownTokens.token(server, userId)),
      refused: (token) => ownTokens.refused(server, userId, token),
      lacking: (scope) => ownTokens.lacking(server, userId, scope),
    };
  }
  return {
    ...target,
    token: ofOneSignIn(() => noted(userTokens.token(server, userId)), sign),
    refused: (token) => userTokens.refused(server, userId, token),
    lacking: async (scope) => {
      if (scope !== undefined) await lacking(server, userId, scope);
      return new McpFault('the user has to sign in to it again and grant more permissions');
    },
  };
}

/**
 * A session belongs to one sign-in, because the server keeps state for it: after another sign-in a new session is
 * opened.
 */
function ofOneSignIn(ask: () => Promise<AccessToken>, first?: string): () => Promise<AccessToken> {
  let sign = first;
  return async () => {
    const token = await ask();
    sign ??= token.sign;
    if (token.sign !== sign) throw new McpFault('someone else has signed in in the meantime', undefined, true);
    return token;
  };
}

/** The capabilities of the client that holds the session. */
function asking({ timeoutMs }: McpServer, holder: string): Pick<Target, 'capabilities' | 'longestMs'> {
  const abilities = capabilitiesOfHolder(holder);
  return abilities === '' ? {} : { capabilities: decodeCapabilities(abilities), longestMs: timeoutMs + mostAskedMs };
}

export function keyOf(server: McpServer): string {
  const known = keys.get(server);
  if (known !== undefined) return known;
  const { url, sealedHeaders, timeoutMs, auth, clientId, sealedClientSecret, sealedClientKey } = server;
  // A session opened by one client, or with one provider's assertion, must not be used by another.
  const shown = signsInItself(server) ? server.assertionFile : server.vouchedBy;
  const client = auth === 'oauth' || auth === 'headers' ? [] : [clientId, sealedClientSecret, sealedClientKey, shown];
  const key = JSON.stringify([url, sealedHeaders, timeoutMs, auth, ...client]);
  keys.set(server, key);
  return key;
}

const keys = new WeakMap<McpServer, string>();
