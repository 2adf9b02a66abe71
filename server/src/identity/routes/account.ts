import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { changeSelf, userNow } from '../accounts.ts';
import { requireRecentFactor } from '../factors/step-up.ts';
import type { LinkDeps } from '../links/deps.ts';
import { verifiedReader } from '../mails/reader.ts';
import { notifyFormerAddress } from '../notices.ts';
import { languageOf } from '../store/languages.ts';
import { countNotices } from '../store/notices.ts';
import { factorAtOf, listSessions } from '../store/sessions.ts';
import { userSubject } from '../subjects.ts';
import { avatarRule, displayNameRule, emailRule, languageRule, ownUserSchema, passwordRule } from '../user.ts';
import { answerWithSession } from './start-session.ts';

const base = { ...management, tag: 'Account' } as const;
const userAnswer = answered(ownUserSchema);
/** The number of unread notices, so that pages load them only if there are any. */
const selfSchema = z.object({ ...ownUserSchema.shape, notices: z.number().int() }).meta({ id: 'Self' });
const sessionSubject = { type: 'session' };

const sessionSchema = z.object({
  id: z.number().int(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.number().int(),
  last_seen_at: z.number().int(),
  current: z.boolean(),
});

export function accountRoutes(deps: LinkDeps): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/self',
      summary: 'Get your account',
      auth: 'session',
      answers: { 200: answered(selfSchema) },
      handle: async (call) => {
        const user = await userNow(deps, call.principal.user.id);
        if (!user) throw new AppError('not_logged_in', 'You are not logged in.');
        const notices = await countNotices(deps.db, user.id);
        const language = await languageOf(deps.db, user.id);
        return ok(call, { ...user, language, notices });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/user/self',
      summary: 'Update your profile or password',
      auth: 'session',
      body: z.object({
        display_name: displayNameRule.optional(),
        avatar_url: avatarRule.optional(),
        email: emailRule.optional(),
        language: languageRule.optional(),
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
        const { password, email = self.email } = call.body;
        // Checked here instead of by the step-up list: a picture or name needs no proof.
        if (password !== undefined || email !== self.email) await requireRecentFactor(deps, call.principal);
        const owner = await verifiedReader(deps.db, self.id);
        const factorAt = (await factorAtOf(deps.db, sessionId)) ?? undefined;
        const { user, proven } = await changeSelf(deps, { userId: self.id, sessionId, ip: call.ip }, call.body);
        if (email !== self.email) notifyFormerAddress(deps, owner, 'address');
        if (password !== undefined) notifyFormerAddress(deps, owner, 'password');
        // The user stays logged in, under a new session; all others end.
        if (proven) return answerWithSession(deps, call, { ...proven, ...(factorAt && { factorAt }) });
        return ok(call, { ...user, language: await languageOf(deps.db, user.id) });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/sessions',
      summary: 'List your sessions',
      auth: 'session',
      answers: { 200: answered(z.array(sessionSchema)) },
      handle: async (call) => {
        const rows = await listSessions(deps.db, call.principal.user.id, nowSeconds(deps.clock));
        const view = rows.map(({ id, ip, user_agent, created_at, last_seen_at }) => ({
          ...{ id, ip, user_agent, created_at, last_seen_at, current: id === call.principal.sessionId },
        }));
        return ok(call, view);
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/user/sessions',
      summary: 'End all your other sessions',
      auth: 'session',
      audit: {
        action: 'other_sessions_ended',
        subject: { type: 'user' },
        id: (call) => call.principal.user.id,
        also: (_, answer) => ({ ended: answer?.data.ended }),
      },
      answers: { 200: answered(z.object({ ended: z.number().int() })) },
      handle: async (call) => {
        const { user, sessionId } = call.principal;
        return ok(call, { ended: await deps.sessions.endOthers(user.id, sessionId) });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/user/sessions/{id}',
      summary: 'End one of your sessions',
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
