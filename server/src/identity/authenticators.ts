import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { KeyPrincipal, SessionPrincipal } from './principals.ts';
import { refuseForgery, type Sessions } from './sessions.ts';
import { roles } from './user.ts';

/** The web app marks its calls to /v1 with this header: a cookie alone is not a credential there. */
const webCallHeader = 'x-svc-web';

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
    if (call.request.headers.get(webCallHeader) === '1') return bySession(call);
    throw new AppError('invalid_api_key', 'Missing API key. Send it as Authorization: Bearer sk-…');
  };

  const keyOrSession = (call: Call): KeyPrincipal | Promise<KeyPrincipal> => {
    const secret = secretOf(call);
    return secret ? deps.keys.identify(secret, call) : bySession(call);
  };

  return { session, admin, apiKey, keyOrSession };
}

/** `x-api-key` is Anthropic's way, so it counts on the messages endpoints only. */
function secretOf(call: Call): string | null {
  const header = call.request.headers.get('authorization');
  if (header) return bearerOf(header) ?? 'malformed';
  const key = call.request.headers.get('x-api-key');
  // Without a usable Host header the path is all there is of the address.
  return key && /^(?:https?:\/\/[^/]*)?\/v1\/messages/.test(call.request.url) ? key : null;
}

/** As nearly every client writes it, else as the scheme may be written (RFC 9110 §11.1: in any case). */
function bearerOf(header: string): string | undefined {
  if (header.startsWith('Bearer sk-') && !header.includes(' ', 7)) return header.slice(7);
  return /^bearer\s+(\S+)\s*$/i.exec(header)?.[1];
}
