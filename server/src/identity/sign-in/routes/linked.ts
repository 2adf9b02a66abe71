import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { management } from '../../../platform/http/answers.ts';
import { idParams, nothingAsked } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import { originOf } from '../../audit/record-acts.ts';
import { confirmOwner, type Shown } from '../../confirm-owner.ts';
import { methodsOf } from '../../factors/second-factor.ts';
import { hasPassword } from '../../passwords.ts';
import type { SessionPrincipal } from '../../principals.ts';
import { refuseForgery } from '../../sessions.ts';
import { findUserRow } from '../../store/users.ts';
import { beginSignIn, newBrowserSecret } from '../begin.ts';
import type { SignInContext } from '../context.ts';
import { confirmLink, showLink } from '../links.ts';
import { enabledProvider } from '../providers.ts';
import { deleteIdentity, identitiesOf } from '../store/identities.ts';
import { browserCookie, browserSecretOf, faultOf, visitorOf } from './browser.ts';
import { answers, linkToken, password, returnTo, slug } from './schemas.ts';
import { startSession } from './sign-in.ts';

const self = { ...management, tag: 'Account', auth: 'session' } as const;
const anybody = { ...self, auth: 'none', limit: { option: 'RateLimitApi', by: 'ip' } } as const;
const identities = '/api/user/identities';

export const linkedRoutes = (room: SignInContext, origins: string[]): Route[] => [
  ...questionRoutes(room, origins),
  ...ownRoutes(room),
];

function questionRoutes(room: SignInContext, origins: string[]): Route[] {
  return [
    defineRoute({
      ...anybody,
      method: 'get',
      path: '/api/auth/link',
      summary:
        'Get the existing account that has the email address of a person who signed in with an identity provider',
      query: z.strictObject({ link: linkToken }),
      answers: { 200: answers.link },
      handle: async (call) => {
        const browserSecret = browserSecretOf(call) ?? '';
        const request = { token: call.query.link, browserSecret, visitor: await visitorOf(room, call) };
        return ok(call, await showLink(room, request));
      },
    }),
    defineRoute({
      ...anybody,
      method: 'post',
      path: '/api/auth/link',
      summary: 'Connect that account to the provider, with its session or password',
      query: nothingAsked,
      body: z.strictObject({ link: linkToken, password: password.optional() }),
      answers: { 200: answers.linked },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const browserSecret = browserSecretOf(call) ?? '';
        const visitor = await visitorOf(room, call);
        const { proven, returnTo } = await confirmLink(
          room,
          { token: call.body.link, browserSecret, visitor },
          { password: call.body.password, ip: call.ip, origin: originOf(call) },
        );
        if (visitor?.user.id !== proven.user.id)
          await startSession(room, call, proven, 'password').catch((error) => {
            throw new AppError(
              'wrong_credentials',
              'The account has changed in the meantime. Log in again.',
              {},
              error,
            );
          });
        return ok(call, { return_to: returnTo });
      },
    }),
  ];
}

const refusals = {
  missing: 'password is required to connect an account.',
  late: 'Log in again first. You can connect an account within 15 minutes of logging in.',
};

/** Or whoever finds an unlocked screen could make a lasting way in of their own. A second factor was shown before this. */
async function confirmConnecting(room: SignInContext, principal: SessionPrincipal, shown: Shown): Promise<void> {
  if ((await methodsOf(room.db, principal.user.id)).length > 0) return;
  await confirmOwner(room, principal, shown, refusals);
}

function ownRoutes(room: SignInContext): Route[] {
  return [
    defineRoute({
      ...self,
      method: 'get',
      path: identities,
      summary: 'List the external accounts you can sign in with',
      query: nothingAsked,
      answers: { 200: answers.identities },
      handle: async (call) => {
        const { id } = call.principal.user;
        const [row, linked] = await Promise.all([findUserRow(room.db, id), identitiesOf(room.db, id)]);
        const shown = linked.map(({ slug, name, enabled: _, vouches, ...identity }) => ({
          ...identity,
          provider: { slug, name },
          vouches: vouches === 1,
        }));
        return ok(call, { has_password: row !== null && hasPassword(row.password_hash), identities: shown });
      },
    }),
    defineRoute({
      ...self,
      method: 'post',
      path: identities,
      summary: 'Start connecting an external account; returns the address to send the browser to',
      query: nothingAsked,
      body: z.strictObject({ provider: slug, return_to: returnTo.optional(), password: password.optional() }),
      answers: { 200: answers.begun },
      // A write, unlike signing in: another site's link must not connect its own account.
      handle: async (call) => {
        const provider = await enabledProvider(room, call.body.provider);
        await confirmConnecting(room, call.principal, { password: call.body.password, ip: call.ip });
        const browserSecret = browserSecretOf(call) ?? newBrowserSecret();
        const beginning = {
          browserSecret,
          returnTo: call.body.return_to ?? '/account',
          linkUserId: call.principal.user.id,
        };
        const url = await beginSignIn(room, provider, beginning).catch((error) => {
          throw new AppError('unavailable', `${provider.name} could not be reached.`, {}, faultOf(error).detail);
        });
        call.headers['set-cookie'] = browserCookie(room, browserSecret);
        return ok(call, { url });
      },
    }),
    defineRoute({
      ...self,
      method: 'delete',
      path: `${identities}/{id}`,
      summary: 'Disconnect an external account, unless it is your only way to sign in',
      query: nothingAsked,
      params: idParams,
      audit: 'recorded',
      answers: { 200: answers.done },
      handle: async (call) => {
        const { id: userId } = call.principal.user;
        const gone = await deleteIdentity(room.db, userId, call.params.id);
        if (gone === null) throw new AppError('not_found', 'There is no such account.');
        if (gone === 'last')
          throw new AppError(
            'conflict',
            'This is your only way to sign in. Set a password first, or connect another account.',
          );
        const target = { type: 'identity', id: gone.id, name: gone.slug };
        const metadata = { provider: gone.slug };
        room.audit.record({ action: 'identity_unlinked', actor: userId, target, metadata, origin: originOf(call) });
        await room.audit.flush();
        return ok(call, { id: gone.id });
      },
    }),
  ];
}
