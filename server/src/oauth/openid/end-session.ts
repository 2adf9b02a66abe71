import type { Origin } from '../../identity/audit/log.ts';
import { AppError } from '../../lib/errors.ts';
import type { OAuthContext } from '../context.ts';
import { withParameters } from '../redirect-uri.ts';
import { applicationStatus } from '../status.ts';
import { findApplicationNow } from '../store/applications.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { type Hint, readHint } from './hint.ts';

/** RP-Initiated Logout 1.0 §2. */
export interface EndSessionRequest {
  id_token_hint?: string | undefined;
  client_id?: string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
}

interface Visitor {
  userId: number;
  sessionId: number;
}

/** Where the browser goes, and whether it is logged out. */
export interface EndSession {
  location: string;
  ended: boolean;
}

const page = '/oauth2/logout';

/**
 * Without confirmation only for an application that presents an ID token of this user: otherwise any link could log
 * people out. A browser without a session needs none.
 */
export async function endSession(
  deps: OAuthContext,
  visitor: Visitor | null,
  origin: Origin,
  request: EndSessionRequest,
): Promise<EndSession> {
  const hint = request.id_token_hint ? await readHint(deps, request.id_token_hint) : null;
  const { application, redirectUrl } = await checkEndSession(deps, request, hint);
  if (visitor && hint?.sub !== `${visitor.userId}`) {
    const { post_logout_redirect_uri, state } = request;
    const asked = { client_id: application?.client_id, post_logout_redirect_uri, state, ask: 'yes' };
    return { location: withParameters(`${deps.webUrl}${page}`, asked), ended: false };
  }
  if (visitor) await deps.logOut(visitor.userId, visitor.sessionId, origin);
  return { location: redirectUrl ?? `${deps.webUrl}${page}`, ended: visitor !== null };
}

/** The same after confirmation; null if there is no application to return to. */
export async function confirmEndSession(
  deps: OAuthContext,
  visitor: Visitor,
  origin: Origin,
  request: EndSessionRequest,
): Promise<string | null> {
  const { redirectUrl } = await checkEndSession(deps, request, null);
  await deps.logOut(visitor.userId, visitor.sessionId, origin);
  return redirectUrl;
}

async function checkEndSession(deps: OAuthContext, request: EndSessionRequest, hint: Hint | null) {
  const { client_id, post_logout_redirect_uri: uri, state } = request;
  // §2: the client the hint was issued to.
  if (hint && client_id && hint.clientId !== client_id)
    throw new AppError('invalid_request', 'client_id and id_token_hint refer to different applications.');
  const clientId = hint?.clientId ?? client_id;
  const application = clientId ? await findApplicationNow(deps.db, { client_id: clientId }) : null;
  if (client_id && !application) throw new AppError('not_found', 'There is no application with this client_id.');
  // Suspended applications are not redirected to, but logging out works.
  if (!uri || application?.status === applicationStatus.suspended) return { application, redirectUrl: null };
  // §3: must be registered, compared exactly; otherwise this would be an open redirect.
  if (!application || !isRegistered(application, uri))
    throw new AppError('invalid_request', 'post_logout_redirect_uri is not registered for this application.', {
      param: 'post_logout_redirect_uri',
    });
  return { application, redirectUrl: state ? withParameters(uri, { state }) : uri };
}

const isRegistered = ({ post_logout_redirect_uris }: ApplicationRow, uri: string): boolean =>
  (JSON.parse(post_logout_redirect_uris) as string[]).includes(uri);
