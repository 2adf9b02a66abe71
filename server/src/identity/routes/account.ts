import { z } from '@hono/zod-openapi';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { idText } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { type AccountDeps, changeSelf, login, register } from '../accounts.ts';
import { refuseForgery } from '../sessions.ts';
import { listSessions } from '../store/sessions.ts';
import { findUser } from '../store/users.ts';
import { avatarRule, displayNameRule, emailRule, passwordRule, type User, usernameRule, userSchema } from '../user.ts';

const base = { tag: 'Account', errors: 'management', limit: { option: 'RateLimitApi', by: 'principal' } } as const;
const userAnswer = z.object({ success: z.literal(true), data: userSchema });
const done = z.object({ success: z.literal(true), message: z.string() });

const sessionSchema = z.object({
  id: z.number().int(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.number().int(),
  last_seen_at: z.number().int(),
  current: z.boolean(),
});

export function accountRoutes(deps: AccountDeps, origins: string[]): Route[] {
  const withSession = async (call: Call, user: User): Promise<Response> => {
    const { cookie } = await deps.sessions.start(user, call.ip, call.request.headers.get('user-agent') ?? '');
    call.headers['set-cookie'] = cookie;
    return ok(call, user);
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
        return withSession(call, await register(deps, call.body));
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
        return withSession(call, await login(deps, call.body.username, call.body.password, call.ip));
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/logout',
      summary: 'Log out',
      auth: 'session',
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
        return ok(call, user);
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
      answers: { 200: userAnswer },
      handle: async (call) => {
        const { user, passwordChanged } = await changeSelf(deps, call.principal.user.id, call.body);
        // Whoever changed the password stays logged in, under a new id; every other place is logged out.
        return passwordChanged ? withSession(call, user) : ok(call, user);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/sessions',
      summary: 'Where I am logged in',
      auth: 'session',
      answers: { 200: z.object({ success: z.literal(true), data: z.array(sessionSchema) }) },
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
      answers: { 200: done },
      handle: async (call) => {
        if (!(await deps.sessions.end(call.principal.user.id, call.params.id)))
          throw new AppError('not_found', 'There is no such session.');
        return json(call, { success: true, message: 'The session has ended.' });
      },
    }),
  ];
}
