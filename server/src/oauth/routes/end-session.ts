import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { answered } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { canBeEchoed } from '../can-be-echoed.ts';
import type { OAuthContext } from '../context.ts';
import { confirmEndSession, type EndSessionRequest, endSession } from '../openid/end-session.ts';
import { withParameters } from '../redirect-uri.ts';
import { base, management, noStore, seeOther } from './shapes.ts';

/** Each becomes part of a URL. */
const bounded = (most: number) =>
  z.string().max(most, `must have at most ${most} characters`).refine(canBeEchoed, 'must be valid Unicode').optional();
const confirmed = {
  client_id: bounded(200),
  post_logout_redirect_uri: bounded(2000),
  state: bounded(2000),
};
/** Together they must fit into a request head. */
const request = z.object({ ...confirmed, id_token_hint: bounded(8000) });

const path = '/api/oauth2/end_session';
const answers = {
  303: { description: 'Redirect to the application or to a page of this service' },
};

/** RP-Initiated Logout 1.0: an application sends the browser here to log its user out. */
export function endSessionRoutes(room: OAuthContext): Route[] {
  const shared = {
    ...base,
    when: () => room.options.get('OAuth2OpenIDConnect'),
    auth: 'none',
    limit: { option: 'RateLimitApi', by: 'ip' },
    headers: noStore,
    visited: true,
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path,
      summary:
        'Log out of the service on behalf of an application; without a valid id_token_hint, the user is asked to confirm',
      query: request,
      answers,
      handle: async (call) => {
        const found = await room.sessions.find(call);
        const visitor = found && { userId: found.user.id, sessionId: found.session.id };
        const { location, ended } = await endSession(room, visitor, originOf(call), call.query);
        if (ended) call.headers['set-cookie'] = room.sessions.clearCookie;
        return seeOther(call, location);
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path,
      summary: 'Log out of the service on behalf of an application, with a form post',
      bodyAs: 'form',
      body: request,
      maxBytes: 65_536,
      answers,
      // Browsers do not send our cookie with cross-site forms, but with the address it redirects to.
      handle: (call) => seeOther(call, withParameters(`${room.webUrl}${path}`, parametersOf(call.body))),
    }),
    defineRoute({
      ...management,
      when: shared.when,
      method: 'post',
      path: `${path}/confirm`,
      summary: 'Log out after the user confirmed it',
      headers: noStore,
      body: z.strictObject(confirmed),
      audit: 'recorded',
      answers: { 200: answered(z.object({ redirect_url: z.string().nullable() })) },
      handle: async (call) => {
        const { user, sessionId } = call.principal;
        const visitor = { userId: user.id, sessionId };
        const redirect_url = await confirmEndSession(room, visitor, originOf(call), call.body);
        call.headers['set-cookie'] = room.sessions.clearCookie;
        return ok(call, { redirect_url });
      },
    }),
  ];
}

const parametersOf = ({ id_token_hint, client_id, post_logout_redirect_uri, state }: EndSessionRequest) => ({
  ...{ id_token_hint, client_id, post_logout_redirect_uri, state },
});
