import { z } from 'zod';
import { answered, management } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { callerLanguage } from '../caller-language.ts';
import type { LinkDeps } from '../links/deps.ts';
import { invite, openInvitations } from '../links/invitations.ts';
import { displayNameRule, emailRule, usernameRule, userSchema } from '../user.ts';

const base = { ...management, tag: 'Administration', auth: 'admin', path: '/api/admin/invitations' } as const;
const time = z.number().int();

const invitationSchema = z
  .object({ user: userSchema, mailed: z.boolean(), created_at: time, expires_at: time })
  .meta({ id: 'Invitation' });

/** An account's invitation is withdrawn by closing the account. */
export const invitationRoutes = (deps: LinkDeps): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    summary: 'List the 200 latest pending invitations, newest first',
    query: nothingAsked,
    answers: { 200: answered(z.object({ invitations: z.array(invitationSchema) })) },
    handle: async (call) => ok(call, { invitations: await openInvitations(deps) }),
  }),
  defineRoute({
    ...base,
    method: 'post',
    summary: 'Create an account, and email or return the link for setting its password',
    idempotent: true,
    body: z.object({
      username: usernameRule,
      email: emailRule.default(''),
      display_name: displayNameRule.optional(),
      role: z.union([z.literal(1), z.literal(10)]).optional(),
      quota: z.number().int().min(0).max(1e12).optional().describe('Initial balance, in quota units'),
    }),
    audit: {
      action: 'user_invited',
      subject: { type: 'user' },
      id: (_, answer) => answer?.data.user.id,
      also: (_, { data: { user, mailed } }) => ({ role: user.role, quota: user.quota, email: user.email, mailed }),
    },
    answers: {
      200: answered(z.object({ user: userSchema, url: z.string().nullable(), mailed: z.boolean() })),
    },
    handle: async (call) => {
      call.headers['cache-control'] = 'no-store';
      const { user } = call.principal;
      const askedIn = await callerLanguage(deps.db, call, user.id);
      return ok(call, await invite(deps, user, call.body, askedIn));
    },
  }),
];
