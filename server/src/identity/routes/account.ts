import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { type AccountDeps, changeSelf, login, register } from '../accounts.ts';
import { originOf } from '../audit/record-acts.ts';
import { type ProvenUser, refuseForgery } from '../sessions.ts';
import { listSessions } from '../store/sessions.ts';
import { findUser, findUserByName } from '../store/users.ts';
import { userSubject } from '../subjects.ts';
import { avatarRule, displayNameRule, emailRule, passwordRule, type User, usernameRule, userSchema } from '../user.ts';

const base = { tag: 'Account', errors: 'management', limit: { option: 'RateLimitApi', by: 'principal' } } as const;
const userAnswer = answered(userSchema);
const sessionSubject = { type: 'session' };

const sessionSchema = z.object({
  id: z.number().int(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.number().int(),
  last_seen_at: z.number().int(),
  current: z.boolean(),
});

export function accountRoutes(deps: AccountDeps, origins: string[]): Route[] {
  const withSession = async (call: Call, proven: ProvenUser): Promise<Response> => {
    const started = await deps.sessions.start(proven, call.ip, call.request.headers.get('user-agent') ?? '');
    if (!started) throw new AppError('wrong_credentials', 'The account was changed meanwhile. Log in again.');
    call.headers['set-cookie'] = started.cookie;
    return ok(call, proven.user);
  };

  const tellSignIn = (call: Call<'none'>, action: string, { id }: User): void =>
    deps.audit.record({ action, actor: id, target: { type: 'user', id }, origin: originOf(call) });

  /** Off the request's path, and without the name that was tried: people type passwords there. */
  const tellFailedLogin = async (call: Call<'none', { username: string }>, error: unknown): Promise<void> => {
    const row = await findUserByName(deps.db, call.body.username).catch(() => null);
    const reason = error instanceof AppError ? error.code : 'internal_error';
    const target = { type: 'user', id: row?.id ?? null };
    deps.audit.record({ action: 'login_failed', actor: null, target, metadata: { reason }, origin: originOf(call) });
  };

  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/register',
      summary: 'Register, and log in',
      auth: 'none',
      body: z.object({
        username: usernameRule,
        password: passwordRule,
        email: emailRule.optional(),
        display_name: displayNameRule.optional(),
      }),
      answers: { 200: userAnswer },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const proven = await register(deps, call.body);
        tellSignIn(call, 'user_registered', proven.user);
        return withSession(call, proven);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/login',
      summary: 'Log in',
      auth: 'none',
      body: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(1000) }),
      answers: { 200: userAnswer },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const proven = await login(deps, { ...call.body, ip: call.ip }).catch((error) => {
          void tellFailedLogin(call, error);
          throw error;
        });
        const response = await withSession(call, proven);
        tellSignIn(call, 'login_succeeded', proven.user);
        return response;
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/logout',
      summary: 'Log out',
      auth: 'session',
      audit: { action: 'logged_out', subject: sessionSubject, id: (call) => call.principal.sessionId },
      answers: { 200: done },
      handle: async (call) => {
        await deps.sessions.end(call.principal.user.id, call.principal.sessionId);
        call.headers['set-cookie'] = deps.sessions.clearCookie;
        return json(call, { success: true, message: 'You are logged out.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/self',
      summary: 'Who I am',
      auth: 'session',
      answers: { 200: userAnswer },
      handle: async (call) => {
        const user = await findUser(deps.db, call.principal.user.id);
        if (!user) throw new AppError('not_logged_in', 'You are not logged in.');
        return ok(call, { ...user, quota: user.quota - deps.heldBy(user.id) });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/user/self',
      summary: 'Change my profile or password',
      auth: 'session',
      body: z.object({
        display_name: displayNameRule.optional(),
        avatar_url: avatarRule.optional(),
        email: emailRule.optional(),
        password: passwordRule.optional(),
        current_password: z.string().max(1000).optional(),
      }),
      audit: {
        action: (call) => (call.body.password === undefined ? 'profile_changed' : 'password_changed'),
        subject: userSubject(deps.db),
        id: (call) => call.principal.user.id,
      },
      answers: { 200: userAnswer },
      handle: async (call) => {
        const { user: self, sessionId } = call.principal;
        const { user, proven } = await changeSelf(deps, { userId: self.id, sessionId, ip: call.ip }, call.body);
        // Whoever changed the password stays logged in, under a new id; every other place is logged out.
        return proven ? withSession(call, proven) : ok(call, user);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/sessions',
      summary: 'Where I am logged in',
      auth: 'session',
      answers: { 200: answered(z.array(sessionSchema)) },
      handle: async (call) => {
        const rows = await listSessions(deps.db, call.principal.user.id, nowSeconds(deps.clock));
        const view = rows.map(({ user_id: _, token_hash: __, expires_at: ___, ...row }) => ({
          ...row,
          current: row.id === call.principal.sessionId,
        }));
        return ok(call, view);
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/user/sessions/{id}',
      summary: 'End one of my sessions',
      auth: 'session',
      params: z.object({ id: idText }),
      audit: { action: 'session_ended', subject: sessionSubject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        if (!(await deps.sessions.end(call.principal.user.id, call.params.id)))
          throw new AppError('not_found', 'There is no such session.');
        return json(call, { success: true, message: 'The session has ended.' });
      },
    }),
  ];
}
