import { z } from 'zod';
import { answered, done, management } from '../../platform/http/answers.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { login, register } from '../accounts.ts';
import type { FactorDeps } from '../factors/deps.ts';
import { methods } from '../factors/second-factor.ts';
import { beginSecondStep, finishSecondStep, pendingSignInOf } from '../factors/sign-in.ts';
import { readCookie, refuseForgery } from '../sessions.ts';
import { findUserByName } from '../store/users.ts';
import { displayNameRule, emailRule, languageRule, ownUserSchema, passwordRule, usernameRule } from '../user.ts';
import { auditSignIn, tellFailure } from './audit-sign-in.ts';
import { codeRule } from './factors.ts';
import { pendingSignInCookie, pendingSignInCookieOf, secondStepPath } from './pending-sign-in-cookie.ts';
import { answerWithSession } from './start-session.ts';

const base = { ...management, tag: 'Account' } as const;
const userAnswer = answered(ownUserSchema);
const secondStep = answered(z.object({ second_factor: z.object({ methods: z.array(z.enum(methods)) }) }));

export function signInRoutes(deps: FactorDeps, origins: string[]): Route[] {
  /** Off the request path, and without the attempted name: people type passwords there. */
  const tellFailedLogin = async (call: Call<'none', { username: string }>, error: unknown): Promise<void> => {
    const row = await findUserByName(deps.db, call.body.username).catch(() => null);
    tellFailure(deps.audit, call, row?.id ?? null, error);
  };

  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/register',
      summary: 'Register an account and log in',
      auth: 'none',
      body: z.object({
        username: usernameRule,
        password: passwordRule,
        email: emailRule.optional(),
        display_name: displayNameRule.optional(),
        language: languageRule.optional().describe('Language of emails and pages; defaults to `Accept-Language`'),
      }),
      answers: { 200: userAnswer },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const proven = await register(deps, call.body);
        auditSignIn(deps.audit, call, 'user_registered', proven.user.id);
        return answerWithSession(deps, call, proven);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/login',
      summary: 'Log in with a password; 202 without a session if a second factor is required',
      auth: 'none',
      body: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(1000) }),
      answers: { 200: userAnswer, 202: secondStep },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const proven = await login(deps, { ...call.body, ip: call.ip }).catch((error) => {
          void tellFailedLogin(call, error);
          throw error;
        });
        const half = await beginSecondStep(deps, proven);
        if (half) {
          call.headers['set-cookie'] = pendingSignInCookieOf(deps, half.token);
          return ok(call, { second_factor: { methods: half.methods } }, 202);
        }
        const response = await answerWithSession(deps, call, proven);
        auditSignIn(deps.audit, call, 'login_succeeded', proven.user.id);
        return response;
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: secondStepPath,
      summary: 'Complete a login with an authenticator or recovery code after the password',
      auth: 'none',
      body: z.object({ code: codeRule }),
      answers: { 200: userAnswer },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const token = readCookie(call.request.headers.get('cookie'), pendingSignInCookie);
        const { method, ...proven } = await finishSecondStep(deps, token, call.body.code).catch(async (error) => {
          const half = await pendingSignInOf(deps, token).catch(() => null);
          tellFailure(deps.audit, call, half?.user.id ?? null, error, 'second_factor');
          throw error;
        });
        const response = await answerWithSession(deps, call, proven);
        auditSignIn(deps.audit, call, 'login_succeeded', proven.user.id, { second_factor: method });
        return response;
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/logout',
      summary: 'Log out',
      auth: 'session',
      audit: { action: 'logged_out', subject: { type: 'session' }, id: (call) => call.principal.sessionId },
      answers: { 200: done },
      handle: async (call) => {
        await deps.sessions.end(call.principal.user.id, call.principal.sessionId);
        call.headers['set-cookie'] = deps.sessions.clearCookie;
        return json(call, { success: true, message: 'You are logged out.' });
      },
    }),
  ];
}
