import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { keysOf, keyViewSchema } from '../keys.ts';
import type { LinkDeps } from '../links/deps.ts';
import { invitationOf } from '../links/invitations.ts';
import { notifyUser } from '../notices.ts';
import { hasPassword } from '../passwords.ts';
import { requireLowerRole, requireUser } from '../role-checks.ts';
import { identitiesOf } from '../sign-in/store/identities.ts';
import { factorsOf } from '../store/factors.ts';
import { listSessions } from '../store/sessions.ts';
import { toUser } from '../store/users.ts';
import { userSchema } from '../user.ts';
import { passkeySchema } from './factors.ts';

const base = { ...management, tag: 'Administration', auth: 'admin' } as const;
const root = '/api/admin/users/{id}';
const params = z.object({ id: idText });
const subject = { type: 'user' };
const time = z.number().int();

const personSchema = z
  .object({
    user: userSchema,
    /** False for users who sign in externally, or have not signed in yet. */
    has_password: z.boolean(),
    totp_since: time.nullable(),
    recovery_codes_left: z.number().int(),
    passkeys: z.array(passkeySchema),
    identities: z.array(z.object({ provider: z.string(), label: z.string(), last_used_at: time.nullable() })),
    invitation: z.object({ mailed: z.boolean(), created_at: time, expires_at: time }).nullable(),
    mail: z.boolean().describe('Whether the service sends email'),
  })
  .meta({ id: 'Person' });

const sessionSchema = z.object({
  id: z.number().int(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: time,
  last_seen_at: time,
  factor_at: time.nullable().describe('Time of the last second-factor check'),
});

/** A user as administrators see them. All can be viewed; acts are limited to those below. */
export function peopleRoutes(deps: LinkDeps): Route[] {
  const { db } = deps;
  const found = (id: number) => requireUser(db, id);
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: root,
      summary: 'Get a user with their sign-in methods and pending invitation',
      params,
      answers: { 200: answered(personSchema) },
      handle: async (call) => {
        const row = await found(call.params.id);
        const identities = (await identitiesOf(db, row.id)).map(({ name, label, last_used_at }) => ({
          ...{ provider: name, label, last_used_at },
        }));
        return ok(call, {
          user: toUser(row),
          has_password: hasPassword(row.password_hash),
          ...(await factorsOf(db, row.id)),
          identities,
          invitation: await invitationOf(deps, row.id),
          mail: deps.mailer !== null,
        });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${root}/keys`,
      summary: 'List a user’s API keys, masked',
      params,
      answers: { 200: answered(z.array(keyViewSchema)) },
      handle: async (call) => ok(call, await keysOf(deps, (await found(call.params.id)).id)),
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${root}/sessions`,
      summary: 'List a user’s sessions',
      params,
      answers: { 200: answered(z.array(sessionSchema)) },
      handle: async (call) => {
        const { id: userId } = await found(call.params.id);
        const rows = await listSessions(db, userId, nowSeconds(deps.clock));
        const view = rows.map(({ id, ip, user_agent, created_at, last_seen_at, factor_at }) => ({
          ...{ id, ip, user_agent, created_at, last_seen_at, factor_at },
        }));
        return ok(call, view);
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${root}/sessions`,
      summary: 'End all sessions of a user',
      params,
      audit: {
        action: 'sessions_ended',
        subject,
        id: (call) => call.params.id,
        also: (_, answer) => ({ ended: answer?.data.ended }),
      },
      answers: { 200: answered(z.object({ ended: z.number().int() })) },
      handle: async (call) => {
        const { id } = await requireLowerRole(db, call.principal.user, call.params.id, 'end sessions of');
        const ended = await deps.sessions.endAll(id);
        if (ended > 0) await notifyUser(deps, id, 'sessions_ended', { by: call.principal.user.username });
        return ok(call, { ended });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${root}/sessions/{session_id}`,
      summary: 'End one session of a user',
      params: params.extend({ session_id: idText }),
      audit: {
        action: 'sessions_ended',
        subject,
        id: (call) => call.params.id,
        also: () => ({ ended: 1 }),
      },
      answers: { 200: done },
      handle: async (call) => {
        const { id } = await requireLowerRole(db, call.principal.user, call.params.id, 'end sessions of');
        if (!(await deps.sessions.end(id, call.params.session_id)))
          throw new AppError('not_found', 'There is no such session.');
        await notifyUser(deps, id, 'sessions_ended', { by: call.principal.user.username });
        return json(call, { success: true, message: 'The session has ended.' });
      },
    }),
  ];
}
