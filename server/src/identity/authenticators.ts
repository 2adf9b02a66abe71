import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import { type ClientSecrets, clientSecretStart } from './client-secrets.ts';
import { factorRequired } from './factors/required.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { KeyPrincipal, SessionPrincipal } from './principals.ts';
import { refuseForgery, type Sessions, webCallHeader } from './sessions.ts';
import { roles, type User } from './user.ts';

/** The ways in that identity knows. */
export function authenticatorsOf(deps: {
  sessions: Sessions;
  keys: KeyLookup;
  origins: string[];
  /** Access tokens of applications that may use models; null until somebody knows of any. */
  tokens(): TokenReader | null;
  clientSecrets: ClientSecrets;
  /** Whether an administrator has what is required of administrators. */
  mayAdminister(user: User): boolean | Promise<boolean>;
}) {
  const session = async (call: Call): Promise<SessionPrincipal> => {
    const found = await deps.sessions.find(call.request.headers.get('cookie'));
    if (!found) throw new AppError('not_logged_in', 'You are not logged in.');
    refuseForgery(call.request, deps.origins);
    const { user, session } = found;
    const administers = user.role >= roles.administrator && (await deps.mayAdminister(user));
    const limitKey = `user:${user.id}`;
    return { user, sessionId: session.id, signedInAt: session.signedInAt, administers, limitKey };
  };

  const admin = async (call: Call): Promise<SessionPrincipal> => {
    const principal = await session(call);
    if (principal.user.role < roles.administrator) throw new AppError('forbidden', 'Only administrators may do this.');
    if (!principal.administers) throw factorRequired();
    return principal;
  };

  const bySession = async (call: Call): Promise<KeyPrincipal> => {
    const { user, limitKey } = await session(call);
    return { user, keyId: null, models: [], unlimited: true, limitKey };
  };

  const byKeyOrToken = (call: Call, secret: string): KeyPrincipal | Promise<KeyPrincipal> => {
    const read = secret.startsWith(tokenStart) ? deps.tokens() : null;
    // Whoever is asked once more, when a body has come, is known already.
    const again = call.principal !== null;
    return read ? read(secret, { again, proving: proofIn(call) }) : deps.keys.identify(secret, call);
  };

  const byKey = (call: Call, secret: string | null, where: string): KeyPrincipal | Promise<KeyPrincipal> => {
    if (secret) return byKeyOrToken(call, secret);
    // A cookie alone is not a credential here.
    if (call.request.headers.get(webCallHeader) === '1') return bySession(call);
    throw new AppError('invalid_api_key', `Missing API key. Send it as ${where} sk-…`);
  };

  const apiKey = (call: Call) => byKey(call, secretOf(call), 'Authorization: Bearer');

  const googleKey = (call: Call) => byKey(call, secretOf(call, keysInQuery(call)), 'x-goog-api-key:');

  const socketKey = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = socketSecretOf(call);
    return secret?.startsWith(clientSecretStart)
      ? deps.keys.identifyDigest(deps.clientSecrets.read(secret, call.principal !== null).key, call)
      : byKey(call, secret, 'Authorization: Bearer');
  };

  const keyOrSession = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    return secret ? deps.keys.identify(secret, call) : bySession(call);
  };

  /** What was made at /v1, for programs and for our own pages. */
  const modelsOrSession = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    return secret ? byKeyOrToken(call, secret) : bySession(call);
  };

  return { session, admin, apiKey, googleKey, socketKey, keyOrSession, modelsOrSession };
}

/** How access tokens begin. Where a key or the session will do, they will not: those endpoints are not about models. */
const tokenStart = 'svcat_';
export interface TokenUse {
  /** Whoever asks has been identified, and was counted. */
  again: boolean;
  /** The resource that the token must have been asked for, where that is not the models' own. */
  at?: string;
  /** The request, where it says that it proves a key besides (RFC 9449 §7.1). */
  proving?: Request | undefined;
}
export type TokenReader = (token: string, use: TokenUse) => KeyPrincipal | Promise<KeyPrincipal>;

const keyProtocol = 'openai-insecure-api-key.';

/**
 * Browsers send no headers of theirs with a WebSocket: OpenAI's clients put the key among the subprotocols there, and
 * Azure's into the address.
 */
export function socketSecretOf(call: Call): string | null {
  const { headers } = call.request;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const named = protocols.filter((name) => name.startsWith(keyProtocol)).map((name) => name.slice(keyProtocol.length));
  return secretOf(call, [...named, ...keysInQuery(call, 'api-key')]);
}

const proofIn = ({ request }: Call): Request | undefined =>
  /^dpop\s/i.test(request.headers.get('authorization') ?? '') ? request : undefined;

/** Where clients that send no bearer token put their key: Anthropic's, Azure's and Google's. */
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'];
const nothing: readonly string[] = [];

/**
 * The one rule of which credential counts: whichever header it comes in, and no two that differ. Taking the first of several
 * would charge an account that the caller may not have meant.
 */
export function secretOf({ request: { headers } }: Call, inQuery = nothing): string | null {
  const authorization = headers.get('authorization');
  let secret = authorization ? (bearerOf(authorization) ?? 'malformed') : null;
  for (const name of keyHeaders) secret = agreed(secret, headers.get(name));
  for (const key of inQuery) secret = agreed(secret, key);
  return secret;
}

function agreed(secret: string | null, key: string | null): string | null {
  if (!key || key === secret) return secret;
  if (secret === null) return key;
  throw new AppError(
    'invalid_api_key',
    `Conflicting credentials: send one API key, as Authorization: Bearer sk-… or as ${keyHeaders.join(', ')}.`,
  );
}

/** Google's clients, and Azure's in a browser, may put the key into the address, which therefore is written nowhere: logs and traces name the route. */
function keysInQuery({ request: { url } }: Call, name = 'key'): string[] {
  const at = url.indexOf('?');
  const keys = at < 0 ? [] : new URLSearchParams(url.slice(at + 1)).getAll(name);
  // RFC 9700 §4.3.2; a key may be there because these clients put it there.
  if (keys.some((key) => key.startsWith(tokenStart)))
    throw new AppError('invalid_api_key', 'Send an access token in the header Authorization, not in the address.');
  return keys;
}

/**
 * As nearly every client writes it, else as the scheme may be written (RFC 9110 §11.1: in any case). Of what is bound to a
 * key (RFC 9449 §7.1) there are tokens alone.
 */
function bearerOf(header: string): string | undefined {
  if (header.startsWith('Bearer sk-') && !header.includes(' ', 7)) return header.slice(7);
  const [, bearer, bound] = /^(?:bearer\s+(\S+)|dpop\s+(svcat_\S+))\s*$/i.exec(header) ?? [];
  return bearer ?? bound;
}
