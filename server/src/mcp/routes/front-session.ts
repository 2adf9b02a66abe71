import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Call } from '../../platform/http/route.ts';
import { abilitiesIn, isSessionName, sessionName, sharedName } from '../abilities.ts';
import type { Params } from '../connection.ts';
import { type EndedSessions, noSession } from '../front/ended-sessions.ts';
import { newestRevision } from '../front/straight.ts';
import { saidCapabilities } from '../params-behind.ts';

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

export const speaksNewest = ({ request }: Call): boolean =>
  request.headers.get('mcp-protocol-version') === newestRevision;

/** Requests of the newest revision are in none, whatever they name. */
export const sessionOfPost = (call: Call): string | null => (speaksNewest(call) ? null : sessionIn(call));

/** What a client of the newest revision can be asked it says with each request. */
function declaredIn(call: Call, params: unknown): string {
  const meta = isObject(params) ? params._meta : undefined;
  if (!isObject(meta) || !speaksNewest(call)) return '';
  const abilities = abilitiesIn(meta[saidCapabilities]);
  return abilities === '' ? '' : ` ${sharedName(abilities)}`;
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
export function holderOf(call: Call<'mcp'>, session: string | null, ended: EndedSessions, params?: unknown): string {
  const { principal } = call;
  if (session === null) return `${principal.user.id} ${principal.through}${declaredIn(call, params)}`;
  const holder = `${principal.user.id} ${principal.through} ${session}`;
  if (ended.has(holder)) throw noSession();
  return holder;
}
