import { z } from 'zod';
import type { AccountDeps } from '../../identity/accounts.ts';
import { changeSelf, userNow } from '../../identity/accounts.ts';
import { userSubject } from '../../identity/subjects.ts';
import { avatarRule, displayNameRule, type User } from '../../identity/user.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { type BearerPrincipal, requireScope } from '../bearer.ts';
import { claimsOf } from '../userinfo.ts';
import { anyOrigin, base, noStore } from './shapes.ts';

const claimsSchema = z
  .object({
    sub: z.string(),
    username: z.string(),
    display_name: z.string(),
    avatar_url: z.string(),
    role: z.number().int(),
    name: z.string(),
    preferred_username: z.string(),
    picture: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    group: z.string(),
    created_at: z.number().int(),
    quota: z.number().int(),
    used_quota: z.number().int(),
    request_count: z.number().int(),
  })
  .partial()
  .meta({ id: 'UserInfo' });

const shared = {
  ...base,
  path: '/api/oauth2/userinfo',
  auth: 'bearer',
  limit: { option: 'RateLimitOAuthUserinfo', by: 'ip' },
  headers: { ...noStore, ...anyOrigin },
  answers: { 200: claimsSchema },
} as const;

export function userinfoRoutes(accounts: AccountDeps): Route[] {
  const { options } = accounts;
  const claims = async (user: User, { scopes }: BearerPrincipal) =>
    claimsOf(scopes.includes('usage:read') ? ((await userNow(accounts, user.id)) ?? user) : user, scopes, options);
  const tell = async ({ principal, ...call }: Call<'bearer' | 'postedBearer'>): Promise<Response> => {
    requireScope(principal, 'openid');
    return json(call, await claims(principal.user, principal));
  };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      summary: 'Get the claims about the user that the granted scopes allow',
      handle: tell,
    }),
    defineRoute({
      ...shared,
      // OpenID Connect Core §5.3.1 requires both methods.
      auth: 'postedBearer',
      when: () => options.get('OAuth2OpenIDConnect'),
      method: 'post',
      summary:
        'Get the claims about the user with POST (OpenID Connect); the token is sent in the header, or as access_token of a form',
      handle: tell,
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      summary: 'Update the user’s display name or picture (scope profile)',
      body: z.object({ display_name: displayNameRule.optional(), avatar_url: avatarRule.optional() }),
      audit: { action: 'profile_changed', subject: userSubject(accounts.db), id: (call) => call.principal.user.id },
      handle: async (call) => {
        const { principal } = call;
        requireScope(principal, 'profile');
        const { user } = await changeSelf(accounts, { userId: principal.user.id, ip: call.ip }, call.body);
        return json(call, await claims(user, principal));
      },
    }),
  ];
}
