import { z } from 'zod';
import { nothingAsked } from '../../../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import { originOf } from '../../audit/record-acts.ts';
import { learnLanguage } from '../../caller-language.ts';
import { beginSecondStep } from '../../factors/sign-in.ts';
import { pendingSignInCookieOf } from '../../routes/pending-sign-in-cookie.ts';
import type { ProvenUser } from '../../sessions.ts';
import { beginSignIn, newBrowserSecret } from '../begin.ts';
import type { SignInContext } from '../context.ts';
import { SignInFault } from '../fault.ts';
import { finishSignIn, takeAttemptBack } from '../finish.ts';
import { enabledProvider } from '../providers.ts';
import { safeReturnTo } from '../return-to.ts';
import { listProviders, type Provider } from '../store/providers.ts';
import { browserCookie, browserSecretOf, faultOf, sendTo, sendToFault, visitorOf, type Way } from './browser.ts';
import { answers, providerParams, returnTo } from './schemas.ts';

const base = {
  tag: 'Account',
  errors: 'management',
  auth: 'none',
  limit: { option: 'RateLimitApi', by: 'ip' },
} as const;

/** Providers add parameters, which the library checks; state is ours. */
const callbackQuery = z.looseObject({ state: z.string().max(200).optional() });

export const signInRoutes = (room: SignInContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/auth/providers',
    summary: 'List the identity providers available for sign-in',
    query: nothingAsked,
    answers: { 200: answers.ways },
    handle: async (call) => {
      const enabled = (await listProviders(room.db)).filter((provider) => provider.enabled);
      return ok(call, { providers: enabled.map(({ slug, name }) => ({ slug, name })) });
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/auth/{provider}/start',
    visited: true,
    summary: 'Sign in with an identity provider; for browsers, which are redirected to it',
    params: providerParams,
    query: z.strictObject({ return_to: returnTo.optional() }),
    answers: { 302: answers.sentOn },
    handle: async (call) => {
      const provider = await enabledProvider(room, call.params.provider);
      const browserSecret = browserSecretOf(call) ?? newBrowserSecret();
      try {
        const { return_to } = call.query;
        const url = await beginSignIn(room, provider, { browserSecret, returnTo: return_to, linkUserId: null });
        call.headers['set-cookie'] = browserCookie(room, browserSecret);
        return sendTo(call, url);
      } catch (error) {
        const returnTo = safeReturnTo(call.query.return_to, room.webUrl);
        return failed(room, call, provider, faultOf(error), { linking: false, returnTo });
      }
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/auth/{provider}/callback',
    visited: true,
    summary: 'Callback that an identity provider redirects browsers to',
    params: providerParams,
    query: callbackQuery,
    answers: { 302: answers.sentOn },
    handle: (call) => comeBack(room, call, call.params.provider, call.query.state ?? ''),
  }),
];

async function comeBack(room: SignInContext, call: Call, slug: string, state: string): Promise<Response> {
  const provider = await enabledProvider(room, slug);
  const callback = {
    search: new URL(call.request.url).search,
    state,
    browserSecret: browserSecretOf(call) ?? '',
    sessionUserId: (await visitorOf(room, call))?.user.id ?? null,
    origin: originOf(call),
  };
  let way: Way = { linking: false, returnTo: '/' };
  try {
    const attempt = await takeAttemptBack(room, provider, callback);
    way = { linking: attempt.link_user_id !== null, returnTo: attempt.return_to };
    const outcome = await finishSignIn(room, provider, attempt, callback);
    if (outcome.kind === 'asks') return sendTo(call, `${room.webUrl}/link-account?link=${outcome.token}`);
    if (outcome.kind === 'linked') return sendTo(call, `${room.webUrl}${outcome.returnTo}`);
    return await enter(room, call, provider, outcome);
  } catch (error) {
    return failed(room, call, provider, faultOf(error), way);
  }
}

/** A provider replaces the password: a second factor here is still required. */
async function enter(
  room: SignInContext,
  call: Call,
  { slug }: Provider,
  { proven, returnTo }: { proven: ProvenUser; returnTo: string },
): Promise<Response> {
  const half = await beginSecondStep(room, proven);
  if (half) {
    call.headers['set-cookie'] = pendingSignInCookieOf(room, half.token);
    const query = new URLSearchParams({ second_factor: half.methods.join(), next: returnTo });
    return sendTo(call, `${room.webUrl}/login?${query}`);
  }
  await startSession(room, call, proven, slug);
  return sendTo(call, `${room.webUrl}${returnTo}`);
}

export async function startSession(
  room: SignInContext,
  call: Call,
  proven: ProvenUser,
  provider: string,
): Promise<void> {
  const started = await room.sessions.start(proven, call);
  if (!started) throw new SignInFault('expired', 'the account was changed in the meantime');
  call.headers['set-cookie'] = started.cookie;
  const { id } = proven.user;
  await learnLanguage(room.db, call, id);
  const target = { type: 'user', id };
  room.audit.record({
    ...{ action: 'login_succeeded', actor: id, target, metadata: { provider }, origin: originOf(call) },
  });
}

function failed(
  room: SignInContext,
  call: Call,
  provider: Provider,
  { code, detail }: SignInFault,
  way: Way,
): Response {
  const target = { type: 'identity_provider', id: provider.id, name: provider.slug };
  room.log.warn({ requestId: call.requestId, provider: provider.slug, code, detail }, 'a sign-in failed');
  room.audit.record({
    ...{ action: 'login_failed', actor: null, target, metadata: { reason: code }, origin: originOf(call) },
  });
  return sendToFault(room, call, code, way);
}
