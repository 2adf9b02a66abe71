import type { User } from '../identity/user.ts';
import type { Scope } from './scopes.ts';

type Claims = Record<string, string | number | boolean>;

/** Which fields each scope opens. */
const claimTable: Partial<Record<Scope, (user: User) => Claims>> = {
  openid: (user) => ({
    sub: `${user.id}`,
    username: user.username,
    display_name: user.display_name,
    avatar_url: user.avatar_url,
    role: user.role,
  }),
  email: (user) => ({ ...(user.email !== '' && { email: user.email }), email_verified: user.email_verified }),
  profile: (user) => ({ group: user.group, created_at: user.created_at }),
  'usage:read': (user) => ({ quota: user.quota, used_quota: user.used_quota, request_count: user.request_count }),
};

/** One flat object, with the fields of the granted scopes only. */
export const claimsOf = (user: User, scopes: readonly Scope[]): Claims =>
  Object.assign({}, ...scopes.map((scope) => claimTable[scope]?.(user)));
