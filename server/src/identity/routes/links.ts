import { z } from 'zod';
import { answered, done, management } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { originOf } from '../audit/record-acts.ts';
import { callerLanguage, languageAsked } from '../caller-language.ts';
import type { LinkDeps } from '../links/deps.ts';
import { issueLink } from '../links/issue.ts';
import { askForReset, resetPassword, sendVerification, verifyEmail } from '../links/recovery.ts';
import { notifyUser } from '../notices.ts';
import { requireLowerRole } from '../role-checks.ts';
import { refuseForgery } from '../sessions.ts';
import { passwordRule, type User } from '../user.ts';

const base = { ...management, tag: 'Account' } as const;
const token = z.string().min(1).max(200);
const subject = { type: 'user' };

/** Links that verify an address or reset a password, mailed or handed over by an administrator. */
export function linkRoutes(deps: LinkDeps, origins: string[]): Route[] {
  const tell = (call: Parameters<typeof originOf>[0], action: string, { id }: User) =>
    deps.audit.record({ action, actor: id, target: { ...subject, id }, origin: originOf(call) });
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/email/verification',
      summary: 'Send a link to verify your email address',
      auth: 'session',
      body: z.object({ password: z.string().min(1).max(1000).optional() }),
      audit: { action: 'verification_sent', subject, id: (call) => call.principal.user.id },
      answers: { 200: done },
      handle: async (call) => {
        const shown = { password: call.body.password, ip: call.ip };
        await sendVerification(deps, call.principal, shown, languageAsked(call) ?? 'en');
        return json(call, { success: true, message: 'The email was sent.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/email/verify',
      summary: 'Verify your email address with the secret from a link created for your account',
      auth: 'session',
      body: z.object({ token }),
      audit: { action: 'email_verified', subject, id: (call) => call.principal.user.id },
      answers: { 200: done },
      handle: async (call) => {
        await verifyEmail(deps, call.principal.user.id, call.body.token);
        return json(call, { success: true, message: 'Your email address is verified.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/password/forgot',
      summary:
        'Send a password reset link if the address is the verified address of an account; the response does not reveal whether it is',
      auth: 'none',
      body: z.object({ email: z.email().max(254) }),
      answers: { 200: done },
      handle: (call) => {
        refuseForgery(call.request, origins);
        askForReset(deps, call.body.email, languageAsked(call) ?? 'en', call.ip);
        return json(call, {
          success: true,
          message: 'If this is the verified address of an account, an email is on its way.',
        });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/password/reset',
      summary: 'Set a new password with the secret from a link; ends all sessions',
      auth: 'none',
      body: z.object({ token, password: passwordRule }),
      answers: { 200: done },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        tell(call, 'password_reset', await resetPassword(deps, call.body.token, call.body.password));
        return json(call, { success: true, message: 'Your password was changed. Log in with the new password.' });
      },
    }),
    defineRoute({
      ...base,
      tag: 'Administration',
      method: 'post',
      path: '/api/admin/users/{id}/links',
      summary:
        'Create a link for a user to reset their password, verify their address or accept an invitation; returned in the response or sent by email',
      auth: 'admin',
      params: z.object({ id: idText }),
      body: z.object({
        purpose: z.enum(['reset_password', 'verify_email', 'invitation']),
        mail: z.boolean().default(false).describe("Send it to the account's email address, if the service sends email"),
      }),
      audit: {
        action: 'link_issued',
        subject,
        id: (call) => call.params.id,
        also: ({ body }, { data }) => ({ purpose: body.purpose, mailed: data.mailed }),
      },
      answers: { 200: answered(z.object({ url: z.string().nullable(), mailed: z.boolean() })) },
      handle: async (call) => {
        const { principal, params, body } = call;
        const user = await requireLowerRole(deps.db, principal.user, params.id, 'issue links for');
        call.headers['cache-control'] = 'no-store';
        const askedIn = await callerLanguage(deps.db, call, principal.user.id);
        const issued = await issueLink(deps, user, { ...body, askedIn, by: principal.user.id });
        if (body.purpose === 'reset_password')
          await notifyUser(deps, user.id, 'password_link', { by: principal.user.username });
        return ok(call, issued);
      },
    }),
  ];
}
