import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { KeyPrincipal, SessionPrincipal } from './principals.ts';
import { refuseForgery, type Sessions, webCallHeader } from './sessions.ts';
import { roles } from './user.ts';

/** The four ways in that identity knows. */
export function authenticatorsOf(deps: { sessions: Sessions; keys: KeyLookup; origins: string[] }) {
  const session = async (call: Call): Promise<SessionPrincipal> => {
    const found = await deps.sessions.find(call.request.headers.get('cookie'));
    if (!found) throw new AppError('not_logged_in', 'You are not logged in.');
    refuseForgery(call.request, deps.origins);
    return { user: found.user, sessionId: found.session.id, limitKey: `user:${found.user.id}` };
  };

  const admin = async (call: Call): Promise<SessionPrincipal> => {
    const principal = await session(call);
    if (principal.user.role < roles.administrator) throw new AppError('forbidden', 'Only administrators may do this.');
    return principal;
  };

  const bySession = async (call: Call): Promise<KeyPrincipal> => {
    const { user, limitKey } = await session(call);
    return { user, keyId: null, models: [], unlimited: true, limitKey };
  };

  const apiKey = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    if (secret) return deps.keys.identify(secret, call);
    // A cookie alone is not a credential here.
    if (call.request.headers.get(webCallHeader) === '1') return bySession(call);
    throw new AppError('invalid_api_key', 'Missing API key. Send it as Authorization: Bearer sk-…');
  };

  const keyOrSession = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    return secret ? deps.keys.identify(secret, call) : bySession(call);
  };

  return { session, admin, apiKey, keyOrSession };
}

/** Where clients that send no bearer token put their key: Anthropic's, Azure's and Google's. */
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'];

/**
 * The one rule of which credential counts: whichever header it comes in, and no two that differ. Taking the first of several
 * would charge an account that the caller may not have meant.
 */
function secretOf({ request: { headers } }: Call): string | null {
  const authorization = headers.get('authorization');
  let secret = authorization ? (bearerOf(authorization) ?? 'malformed') : null;
  for (const name of keyHeaders) {
    const key = headers.get(name);
    if (!key || key === secret) continue;
    if (secret !== null)
      throw new AppError(
        'invalid_api_key',
        `Conflicting credentials: send one API key, as Authorization: Bearer sk-… or as ${keyHeaders.join(', ')}.`,
      );
    secret = key;
  }
  return secret;
}

/** As nearly every client writes it, else as the scheme may be written (RFC 9110 §11.1: in any case). */
function bearerOf(header: string): string | undefined {
  if (header.startsWith('Bearer sk-') && !header.includes(' ', 7)) return header.slice(7);
  return /^bearer\s+(\S+)\s*$/i.exec(header)?.[1];
}
