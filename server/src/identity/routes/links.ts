import { z } from 'zod';
import { answered, done } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { originOf } from '../audit/record-acts.ts';
import type { LinkDeps } from '../links/deps.ts';
import { makeLink } from '../links/links.ts';
import { askForReset, invite, resetPassword, sendVerification, verifyEmail } from '../links/recovery.ts';
import { userBelow } from '../reach.ts';
import { refuseForgery } from '../sessions.ts';
import { displayNameRule, emailRule, passwordRule, type User, usernameRule, userSchema } from '../user.ts';

const base = { tag: 'Account', errors: 'management', limit: { option: 'RateLimitApi', by: 'principal' } } as const;
const token = z.string().min(1).max(200);
const subject = { type: 'user' };

/** Links that prove an address or give a new password, by mail or from the hand of an administrator. */
export function linkRoutes(deps: LinkDeps, origins: string[]): Route[] {
  const tell = (call: Parameters<typeof originOf>[0], action: string, { id }: User) =>
    deps.audit.record({ action, actor: id, target: { ...subject, id }, origin: originOf(call) });
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/email/verification',
      summary: 'Send me the link that verifies my address',
      auth: 'session',
      body: z.object({ password: z.string().min(1).max(1000) }),
      audit: { action: 'verification_sent', subject, id: (call) => call.principal.user.id },
      answers: { 200: done },
      handle: async (call) => {
        await sendVerification(deps, call.principal.user.id, { password: call.body.password, ip: call.ip });
        return json(call, { success: true, message: 'The mail is sent.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/email/verify',
      summary: 'Verify an address with the secret of a link',
      auth: 'none',
      body: z.object({ token }),
      answers: { 200: done },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        tell(call, 'email_verified', await verifyEmail(deps, call.body.token));
        return json(call, { success: true, message: 'The address is verified.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/password/forgot',
      summary: 'Send a link for a new password, if a verified address is this one; the answer does not tell',
      auth: 'none',
      body: z.object({ email: z.email().max(254) }),
      answers: { 200: done },
      handle: (call) => {
        refuseForgery(call.request, origins);
        askForReset(deps, call.body.email);
        return json(call, { success: true, message: 'If an account has verified this address, a mail is on its way.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/password/reset',
      summary: 'Choose a new password with the secret of a link; ends all sessions',
      auth: 'none',
      body: z.object({ token, password: passwordRule }),
      answers: { 200: done },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        tell(call, 'password_reset', await resetPassword(deps, call.body.token, call.body.password));
        return json(call, { success: true, message: 'The password is changed. Log in with it.' });
      },
    }),
    defineRoute({
      ...base,
      tag: 'Administration',
      method: 'post',
      path: '/api/admin/invitations',
      summary: 'Make an account, and mail or answer the link by which its owner chooses a password',
      auth: 'admin',
      body: z.object({
        username: usernameRule,
        email: emailRule.default(''),
        display_name: displayNameRule.optional(),
      }),
      audit: { action: 'user_invited', subject, id: (_, answer) => answer?.data.user.id },
      answers: {
        200: answered(z.object({ user: userSchema, url: z.string().nullable(), mailed: z.boolean() })),
      },
      handle: async (call) => {
        call.headers['cache-control'] = 'no-store';
        return ok(call, await invite(deps, call.body));
      },
    }),
    defineRoute({
      ...base,
      tag: 'Administration',
      method: 'post',
      path: '/api/admin/users/{id}/links',
      summary: 'A link for a user, to be handed over: a new password, or a verified address',
      auth: 'admin',
      params: z.object({ id: idText }),
      body: z.object({ purpose: z.enum(['reset_password', 'verify_email']) }),
      audit: {
        action: 'link_issued',
        subject,
        id: (call) => call.params.id,
        also: ({ body }) => ({ purpose: body.purpose }),
      },
      answers: { 200: answered(z.object({ url: z.string() })) },
      handle: async (call) => {
        const user = await userBelow(deps.db, call.principal.user, call.params.id, 'issue links for');
        call.headers['cache-control'] = 'no-store';
        return ok(call, { url: await makeLink(deps, call.body.purpose, user, false) });
      },
    }),
  ];
}
