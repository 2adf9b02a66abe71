import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import { type ClientSecrets, clientSecretStart } from './client-secrets.ts';
import { factorRequired } from './factors/required.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { KeyPrincipal, SessionPrincipal } from './principals.ts';
import { refuseForgery, refuseOtherUser, type Sessions, webCallHeader } from './sessions.ts';
import { roles, type User } from './user.ts';

/** Identity's authentication methods. */
export function authenticatorsOf(deps: {
  sessions: Sessions;
  keys: KeyLookup;
  origins: string[];
  /** Access tokens of applications that may use models; null until registered. */
  tokens(): TokenReader | null;
  clientSecrets: ClientSecrets;
  /** Whether an administrator meets the requirements, such as a second factor. */
  mayAdminister(user: User): boolean | Promise<boolean>;
}) {
  const session = async (call: Call): Promise<SessionPrincipal> => {
    const found = await deps.sessions.find(call);
    if (!found) throw new AppError('not_logged_in', 'You are not logged in.');
    refuseForgery(call.request, deps.origins);
    const { user, session } = found;
    refuseOtherUser(call.request, user.id);
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
    const { user, sessionId, limitKey } = await session(call);
    return { user, keyId: null, sessionId, models: [], unlimited: true, limitKey };
  };

  const byKeyOrToken = (call: Call, secret: string): KeyPrincipal | Promise<KeyPrincipal> => {
    const read = secret.startsWith(tokenStart) ? deps.tokens() : null;
    // Repeated after the body arrived, when the caller is already known.
    const again = call.principal !== null;
    return read ? read(secret, { again, proving: proofIn(call) }) : deps.keys.identify(secret, call);
  };

  const byKey = (call: Call, secret: string | null, where: string): KeyPrincipal | Promise<KeyPrincipal> => {
    if (secret) return byKeyOrToken(call, secret);
    // A cookie alone is not accepted here.
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

  /** Resources created at /v1, for programs and our own pages. */
  const modelsOrSession = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    return secret ? byKeyOrToken(call, secret) : bySession(call);
  };

  return { session, admin, apiKey, googleKey, socketKey, keyOrSession, modelsOrSession };
}

/** Prefix of access tokens. Endpoints for keys or sessions refuse them, since those are not about models. */
const tokenStart = 'svcat_';
export interface TokenUse {
  /** The caller was already authenticated and counted. */
  again: boolean;
  /** The required resource of the token, if not the models' own. */
  at?: string;
  /** The request, if it carries a proof of possession (RFC 9449 §7.1). */
  proving?: Request | undefined;
}
export type TokenReader = (token: string, use: TokenUse) => KeyPrincipal | Promise<KeyPrincipal>;

const keyProtocol = 'openai-insecure-api-key.';

/**
 * Browsers cannot send headers with a WebSocket: OpenAI's clients pass the key as a subprotocol, Azure's in the URL.
 */
export function socketSecretOf(call: Call): string | null {
  const { headers } = call.request;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const named = protocols.filter((name) => name.startsWith(keyProtocol)).map((name) => name.slice(keyProtocol.length));
  return secretOf(call, [...named, ...keysInQuery(call, 'api-key')]);
}

const proofIn = ({ request }: Call): Request | undefined =>
  /^dpop\s/i.test(request.headers.get('authorization') ?? '') ? request : undefined;

/** Headers of clients that send no bearer token: Anthropic's, Azure's and Google's. */
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'];
const nothing: readonly string[] = [];

/**
 * Which credential counts: any header, but no two different ones. Using the first of several might charge an account
 * the caller did not mean.
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

/**
 * Google's clients, and Azure's in a browser, may put the key into the URL, which therefore is never logged: logs and
 * traces name the route.
 */
function keysInQuery({ request: { url } }: Call, name = 'key'): string[] {
  const at = url.indexOf('?');
  const keys = at < 0 ? [] : new URLSearchParams(url.slice(at + 1)).getAll(name);
  // RFC 9700 §4.3.2 forbids tokens in URLs; keys are accepted because these clients send them.
  if (keys.some((key) => key.startsWith(tokenStart)))
    throw new AppError('invalid_api_key', 'Send the access token in the Authorization header, not in the URL.');
  return keys;
}

/**
 * The usual spelling first, else case-insensitive (RFC 9110 §11.1). Only tokens can be bound to a key (RFC 9449 §7.1).
 */
function bearerOf(header: string): string | undefined {
  if (header.startsWith('Bearer sk-') && !header.includes(' ', 7)) return header.slice(7);
  const [, bearer, bound] = /^(?:bearer\s+(\S+)|dpop\s+(svcat_\S+))\s*$/i.exec(header) ?? [];
  return bearer ?? bound;
}
