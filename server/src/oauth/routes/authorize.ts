import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { refuseForgery } from '../../identity/sessions.ts';
import { answered } from '../../platform/http/answers.ts';
import { type Call, defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { applicationSchema } from '../application.ts';
import { decide, decideSilently, describeRequest, openPushed } from '../authorize.ts';
import type { OAuthContext } from '../context.ts';
import { givenParameter, onceEach } from '../given-parameters.ts';
import { openidParameters } from '../openid/request.ts';
import { type Spending, spendingFields } from '../spending.ts';
import { base, noStore, repeatableIn, resourceParameter, seeOther } from './shapes.ts';

/** Which of these are required, and in what order, is decided by the table of checks. */
export const requestFields = {
  // Absent if a pushed request replaces the others.
  redirect_uri: z.string().optional(),
  scope: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
  // OpenID Connect parameters with their length limits; ignored while it is disabled.
  ...(Object.fromEntries(openidParameters.map((name) => [name, z.string().optional()])) as Record<
    (typeof openidParameters)[number],
    z.ZodOptional<z.ZodString>
  >),
  resource: resourceParameter,
};

/** The same as browsers bring it, with repeated parameters. */
const broughtRequest = z.object({
  ...(Object.fromEntries(Object.keys(requestFields).map((name) => [name, givenParameter])) as Record<
    keyof typeof requestFields,
    typeof givenParameter
  >),
  response_type: givenParameter,
  client_id: givenParameter,
});
/** Unknown parameters are ignored, unless they are repeated. */
const givenRequest = broughtRequest.catchall(z.unknown());

/** Who asks for what. */
export const askedFields = {
  application: applicationSchema
    .pick({ id: true, name: true, description: true, homepage_url: true, logo_url: true, client_id: true })
    .extend({
      is_verified: z.boolean(),
      source: z
        .string()
        .optional()
        .describe(
          'With OpenID Connect: source of the application’s details, `owner`, `document` (at its client ID) or `registration`',
        ),
      host: z.string().optional().describe('Host of that document'),
    }),
  requested_scopes: z.array(z.object({ name: z.string(), description: z.string() })),
  has_existing_consent: z.boolean(),
  existing_scopes: z.string().nullable(),
  needs_reconsent: z.boolean(),
  spending: z
    .object({ limit: z.number().int(), window: z.string(), spent: z.number().int() })
    .nullable()
    .optional()
    .describe('If the scope models:use is requested: the limit that the user set before'),
};

const askedServer = z
  .object({
    server: z.string(),
    all: z
      .boolean()
      .describe('Whether all current and future tools are included; otherwise only the tools named in the scopes'),
    tools: z.array(
      z.object({ name: z.string(), description: z.string().describe('First line of the description, as plain text') }),
    ),
  })
  .describe('What the application could use of a server at this address');

const describedSchema = z.object({
  ...askedFields,
  redirect_uri: z.string(),
  state: z.string(),
  resources: z
    .array(z.object({ uri: z.string(), name: z.string(), servers: z.array(askedServer).optional() }))
    .optional()
    .describe('With OpenID Connect: resources the tokens would be valid for, if the application specifies them'),
  interaction: z
    .enum(['login', 'select_account', 'consent'])
    .nullable()
    .optional()
    .describe('With OpenID Connect: what `prompt` and `max_age` require of the user before an answer'),
  signed_in_after: z
    .string()
    .optional()
    .describe('With OpenID Connect: value to send after a new login, as proof of it'),
});

/** The user's spending decision, part of the answer. */
export const answeredFields = {
  spending_limit: spendingFields.spending_limit.optional(),
  spending_window: spendingFields.spending_window.default('total'),
};
export const answeredSpending = (body: {
  spending_limit?: number | undefined;
  spending_window: Spending['window'];
}): Spending | null =>
  body.spending_limit === undefined ? null : { limit: body.spending_limit, window: body.spending_window };

export const whoOf = ({ principal }: Call<'session'>) => ({
  userId: principal.user.id,
  sessionId: principal.sessionId,
  signedInAt: principal.signedInAt,
});

export function authorizeRoutes(room: OAuthContext): Route[] {
  const mayRepeat = repeatableIn(room);
  return [
    defineRoute({
      ...base,
      // OpenID Connect Core §3.1.2.1 requires both methods at the page's address.
      when: () => room.options.get('OAuth2OpenIDConnect'),
      method: 'post',
      path: '/oauth2/authorize',
      visited: true,
      summary:
        'Start an authorization request with a form post (OpenID Connect); for browsers, which are redirected to the page',
      auth: 'none',
      limit: { option: 'RateLimitApi', by: 'ip' },
      headers: noStore,
      bodyAs: 'form',
      repeatable: () => true,
      body: broughtRequest,
      // It becomes a URL.
      maxBytes: 16_384,
      answers: { 303: { description: 'Redirect to the page' } },
      handle: (call) => {
        const given = Object.entries(call.body).flatMap(([name, values]) =>
          [values ?? []].flat().map((value) => [name, value]),
        );
        return seeOther(call, `${room.webUrl}/oauth2/authorize?${new URLSearchParams(given)}`);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/oauth2/authorize',
      summary: 'Get the details of an authorization request for the consent screen',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorize', by: 'principal' },
      headers: noStore,
      repeatable: () => true,
      query: givenRequest,
      answers: { 200: answered(describedSchema) },
      handle: async (call) => ok(call, await describeRequest(room, whoOf(call), onceEach(call.query, mayRepeat))),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/oauth2/authorize',
      summary: 'Approve or deny an authorization request',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorizePost', by: 'principal' },
      headers: noStore,
      body: z.object({
        ...requestFields,
        client_id: z.string(),
        approved: z.boolean(),
        ...answeredFields,
      }),
      answers: { 200: answered(z.object({ redirect_url: z.string() })) },
      handle: async (call) => {
        const { approved, spending_limit: _, spending_window: __, ...request } = call.body;
        const decision = { ...whoOf(call), approved, origin: originOf(call), spending: answeredSpending(call.body) };
        // The page showed a code request; the answer does not repeat that.
        const redirect_url = await decide(room, decision, { ...request, response_type: 'code' });
        return ok(call, { redirect_url });
      },
    }),
    defineRoute({
      ...base,
      when: () => room.options.get('OAuth2OpenIDConnect'),
      method: 'post',
      path: '/api/oauth2/authorize/silent',
      summary: 'Answer an authorization request with prompt=none without asking the user, who may be logged in or not',
      auth: 'none',
      limit: { option: 'RateLimitOAuthAuthorizePost', by: 'ip' },
      headers: noStore,
      body: givenRequest,
      answers: { 200: answered(z.object({ redirect_url: z.string() })) },
      handle: async (call) => {
        refuseForgery(call.request, room.ownOrigins);
        const found = await room.sessions.find(call);
        const who = found && {
          userId: found.user.id,
          sessionId: found.session.id,
          signedInAt: found.session.signedInAt,
        };
        const request = onceEach(call.body, mayRepeat);
        return ok(call, { redirect_url: await decideSilently(room, who, originOf(call), request) });
      },
    }),
    defineRoute({
      ...base,
      when: () => room.options.get('OAuth2OpenIDConnect'),
      method: 'post',
      path: '/api/oauth2/authorize/opened',
      summary: 'Mark the page of a pushed authorization request as opened, so that the user has time to log in first',
      auth: 'none',
      limit: { option: 'RateLimitOAuthAuthorizePost', by: 'ip' },
      headers: noStore,
      body: z.strictObject({ client_id: z.string().max(200), request_uri: z.string().max(500) }),
      answers: { 200: answered(z.object({ silent: z.boolean().describe('Whether the request has prompt=none') })) },
      handle: async (call) => ok(call, await openPushed(room, call.body)),
    }),
  ];
}
