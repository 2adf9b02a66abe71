import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import type { Call } from '../../platform/http/route.ts';
import { abilitiesIn, isSessionName, sessionName } from '../abilities.ts';
import type { Params } from '../connection.ts';
import { type EndedSessions, noSession } from '../front/ended-sessions.ts';

export const sessionHeader = 'mcp-session-id';

/**
 * A session in front is a name and nothing else: nothing is kept for it here, so that any process answers to it, and none
 * is ever lost. It tells one client of a key from another where servers keep sessions behind, and what it can be asked.
 */
export function sessionIn({ request }: Call): string | null {
  const session = request.headers.get(sessionHeader);
  if (session !== null && !isSessionName(session)) throw noSession();
  return session;
}

/** The same where nothing can be done without one. */
export function requiredSession(call: Call): string {
  const session = sessionIn(call);
  if (session === null) throw new AppError('invalid_request', 'Name the session: Mcp-Session-Id is missing.');
  return session;
}

/** What the client can be asked is said once, at the beginning. */
export const sessionFor = (initialize: unknown): string =>
  sessionName(randomString(32), abilitiesIn((initialize as Params | null | undefined)?.capabilities));

/**
 * Begins with the user's id, by which a server that users sign in to knows whom it is called for. A session that was ended is
 * none any more (revision 2025-11-25, transports).
 */
export function holderOf({ principal }: Call<'mcp'>, session: string | null, ended: EndedSessions): string {
  if (session === null) return `${principal.user.id} ${principal.through}`;
  const holder = `${principal.user.id} ${principal.through} ${session}`;
  if (ended.has(holder)) throw noSession();
  return holder;
}
