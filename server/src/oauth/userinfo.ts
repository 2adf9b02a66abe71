import type { Options } from '../identity/options.ts';
import type { User } from '../identity/user.ts';
import { profileClaims } from './openid/claims.ts';
import type { Scope } from './scopes.ts';

type Claims = Record<string, string | number | boolean>;

/** Fields per scope. */
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

/** A flat object with the fields of the granted scopes. */
export function claimsOf(user: User, scopes: readonly Scope[], options: Options): Claims {
  const claims: Claims = Object.assign({}, ...scopes.map((scope) => claimTable[scope]?.(user)));
  return options.get('OAuth2OpenIDConnect') ? withStandardNames(claims, user) : claims;
}

/** Adds the standard names that libraries expect. Core §5.3.2: absent claims are omitted, not empty. */
function withStandardNames(claims: Claims, user: User): Claims {
  const { email, email_verified, ...others } = claims;
  return {
    ...others,
    ...('sub' in claims && profileClaims(user)),
    ...(email && { email, email_verified: email_verified! }),
  };
}
