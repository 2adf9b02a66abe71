import type { Lingering } from '../lib/lingering.ts';
import type { Sealer } from '../lib/seal.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import { abilitiesOf, capabilitiesOf, sharedName } from './abilities.ts';
import type { Target } from './connection.ts';
import { McpFault } from './fault.ts';
import { mostAskedMs } from './patience.ts';
import type { AccessToken } from './proofs.ts';
import { type AuthKind, isOfUsers, type McpServer, signsInItself } from './store/servers.ts';

/**
 * Tokens that the service asks for without anybody: for itself, one for each server, which all who may use the server share (for
 * null), or for each user whom a provider vouches for.
 */
export interface OwnTokens {
  /** Renewed before it runs out; those who ask at once share the answer. */
  token(server: McpServer, userId: number | null): Promise<AccessToken>;
  /** The server does not take it: another is asked for next. */
  refused(server: McpServer, userId: number | null, token: string): Promise<void>;
  /** The server took it, and it was not enough. Returns what whoever called is told. */
  lacking(server: McpServer, userId: number | null, scope: string | undefined): Promise<McpFault>;
}

/** Of users who have signed in to a server. */
export interface UserTokens {
  /** Whose sign-in a user's calls go by. */
  signer(server: McpServer, userId: number): Promise<number>;
  /** Renewed when it has run out; those who ask at once share the answer. */
  token(server: McpServer, userId: number): Promise<AccessToken>;
  /** The server does not take it: another is asked for next. Throws where there is none to be had. */
  refused(server: McpServer, userId: number, token: string): Promise<void>;
}

/** What is needed to call a server in the name of whoever it is called for. */
export interface TargetDeps {
  sealer: Sealer;
  allowPrivate: boolean;
  lines?: UpstreamConnections | undefined;
  /** Calls that take a while. */
  slow: Lingering;
  userTokens: UserTokens;
  ownTokens: OwnTokens;
  /** A user's token was not enough. */
  lacking(server: McpServer, userId: number, scope: string): Promise<void>;
}

/** Nobody in particular: what is the same for all who may use the server. */
const anybody = '';

/** Whose session is used where one for all would do, if only all were the same to the server. */
export const holderFor = (server: McpServer, userId: number): string => (isOfUsers(server) ? `${userId}` : anybody);

/** The same for what is listed to clients that can be asked these; nobody is, in such a session. */
export const listedTo = (server: McpServer, userId: number, abilities: string): string =>
  abilities === '' ? holderFor(server, userId) : `${holderFor(server, userId)} ${sharedName(abilities)}`;

/** A holder's name begins with the user's id; null for nobody in particular. */
export const userOf = (holder: string): number | null => (holder === anybody ? null : Number.parseInt(holder, 10));

/** Opened, for the server alone. */
export function headersOf(
  { sealer }: Pick<TargetDeps, 'sealer'>,
  { sealedHeaders }: McpServer,
): Record<string, string> {
  try {
    return sealedHeaders === '' ? {} : (JSON.parse(sealer.open(sealedHeaders)) as Record<string, string>);
  } catch {
    const words = 'its headers cannot be opened with the present ENCRYPTION_KEY; enter them again';
    throw new McpFault('it is not set up', words);
  }
}

/** Of the protocol: clients say that they know them. */
const extensionOf: Partial<Record<AuthKind, string>> = {
  client_credentials: 'io.modelcontextprotocol/oauth-client-credentials',
  enterprise: 'io.modelcontextprotocol/enterprise-managed-authorization',
};

/** Who is called, and in whose name where that makes a difference. */
export function targetOf(
  { sealer, allowPrivate, lines, slow, userTokens, ownTokens, lacking }: TargetDeps,
  server: McpServer,
  holder: string,
  /** Of the session that is gone on with. */
  sign?: string,
): Target {
  const headers = headersOf({ sealer }, server);
  const { name, url, timeoutMs } = server;
  const target = { name, url, headers, timeoutMs, allowPrivate, lines, slow, ...asking(server, holder) };
  if (server.auth === 'headers') return target;
  const userId = isOfUsers(server) ? userOf(holder) : null;
  if (isOfUsers(server) && userId === null) throw new McpFault('it is for users who sign in to it');
  if (server.auth !== 'oauth' || userId === null) {
    const extension = extensionOf[server.auth];
    return {
      ...target,
      ...(extension !== undefined && { extensions: [extension] }),
      token: () => ownTokens.token(server, userId),
      refused: (token) => ownTokens.refused(server, userId, token),
      lacking: (scope) => ownTokens.lacking(server, userId, scope),
    };
  }
  return {
    ...target,
    token: ofOneSignIn(() => userTokens.token(server, userId), sign),
    refused: (token) => userTokens.refused(server, userId, token),
    lacking: async (scope) => {
      if (scope !== undefined) await lacking(server, userId, scope);
      return new McpFault('the user has to sign in to it again, and to allow more there');
    },
  };
}

/** What a server remembers of one who has signed in is no other's: whoever signs in meanwhile begins another session. */
function ofOneSignIn(ask: () => Promise<AccessToken>, first?: string): () => Promise<AccessToken> {
  let sign = first;
  return async () => {
    const token = await ask();
    sign ??= token.sign;
    if (token.sign !== sign) throw new McpFault('somebody else has signed in meanwhile', undefined, true);
    return token;
  };
}

/** What the client can be asked whose session it is. */
function asking({ timeoutMs }: McpServer, holder: string): Pick<Target, 'capabilities' | 'longestMs'> {
  const abilities = abilitiesOf(holder);
  return abilities === '' ? {} : { capabilities: capabilitiesOf(abilities), longestMs: timeoutMs + mostAskedMs };
}

export function keyOf(server: McpServer): string {
  const known = keys.get(server);
  if (known !== undefined) return known;
  const { url, sealedHeaders, timeoutMs, auth, clientId, sealedClientSecret, sealedClientKey } = server;
  // A session that was opened by one client, or by the word of one provider, is no other's.
  const shown = signsInItself(server) ? server.assertionFile : server.vouchedBy;
  const client = auth === 'oauth' || auth === 'headers' ? [] : [clientId, sealedClientSecret, sealedClientKey, shown];
  const key = JSON.stringify([url, sealedHeaders, timeoutMs, auth, ...client]);
  keys.set(server, key);
  return key;
}

const keys = new WeakMap<McpServer, string>();
