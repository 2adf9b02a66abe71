import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Call } from '../../platform/http/route.ts';
import { encodeCapabilities, isSessionName, sessionName, sharedSessionName } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { newestRevision } from '../front/direct-answer.ts';
import { type EndedSessions, noSession } from '../front/ended-sessions.ts';
import { clientCapabilitiesKey } from '../request-params.ts';

export const sessionHeader = 'mcp-session-id';

/**
 * A client's session is only a name. Nothing is stored for it, so any process can serve it, and none is ever lost. It
 * tells the clients of one key apart in sessions with servers, and holds what the client can be asked.
 */
export function sessionIn({ request }: Call): string | null {
  const session = request.headers.get(sessionHeader);
  if (session !== null && !isSessionName(session)) throw noSession();
  return session;
}

export const speaksNewest = ({ request }: Call): boolean =>
  request.headers.get('mcp-protocol-version') === newestRevision;

/** Requests of the newest revision have no session, even if they name one. */
export const sessionOfPost = (call: Call): string | null => (speaksNewest(call) ? null : sessionIn(call));

/** Clients of the newest revision state with each request what they can be asked. */
function declaredIn(call: Call, params: unknown): string {
  const meta = isObject(params) ? params._meta : undefined;
  const abilities = isObject(meta) ? encodeCapabilities(meta[clientCapabilitiesKey]) : '';
  return abilities === '' || !speaksNewest(call) ? '' : ` ${sharedSessionName(abilities)}`;
}

/** As `sessionIn`, where a session is required. */
export function requiredSession(call: Call): string {
  const session = sessionIn(call);
  if (session === null) throw new AppError('invalid_request', 'The header Mcp-Session-Id is missing.');
  return session;
}

/** The client states what it can be asked once, in `initialize`. */
export const sessionFor = (initialize: unknown): string =>
  sessionName(randomString(32), encodeCapabilities((initialize as Params | null | undefined)?.capabilities));

/**
 * Starts with the user's id, which tells a server with per-user sign-in whom the call is for. An ended session is
 * rejected (revision 2025-11-25, transports).
 */
export function holderOf(call: Call<'mcp'>, session: string | null, ended: EndedSessions, params?: unknown): string {
  const { principal } = call;
  if (session === null) return `${principal.user.id} ${principal.through}${declaredIn(call, params)}`;
  const holder = `${principal.user.id} ${principal.through} ${session}`;
  if (ended.has(holder)) throw noSession();
  return holder;
}
