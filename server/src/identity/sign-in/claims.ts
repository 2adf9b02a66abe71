import { avatarRule, displayNameRule, emailRule, roles } from '../user.ts';
import type { Provider } from './store/providers.ts';

/** A provider's raw claims. */
export type Claims = Record<string, unknown> & { sub: string };

/** The validated claims. */
export interface Person {
  subject: string;
  /** Empty if there is none. */
  email: string;
  emailVerified: boolean;
  displayName: string;
  avatarUrl: string;
  /** Username suggestions, best first. */
  names: string[];
  /** Null if the provider does not determine it. */
  role: number | null;
  /** When they last authenticated there (OpenID Connect Core §2, `auth_time`); null if unknown. */
  provenAt: number | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
/** Some providers send booleans as text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const mostEmailCharacters = 254;

export function personOf(provider: Provider, claims: Claims): Person {
  const told = text(claims.email);
  const given = told.length <= mostEmailCharacters ? told : '';
  const email = emailRule.safeParse(given).success ? given : '';
  const name = displayNameRule.safeParse(text(claims.name) || text(claims.preferred_username) || given.split('@')[0]);
  const picture = avatarRule.safeParse(text(claims.picture));
  return {
    subject: claims.sub,
    email,
    emailVerified: email !== '' && provider.trustEmail && saysVerified(provider, claims),
    displayName: name.success ? name.data : '',
    avatarUrl: picture.success ? picture.data : '',
    names: [claims.preferred_username, given.split('@')[0], claims.name].map(text).filter((one) => one !== ''),
    role: mappedRole(provider, claims),
    provenAt: Number.isSafeInteger(claims.auth_time) ? Math.max(0, claims.auth_time as number) : null,
  };
}

/** Microsoft's clouds: the public one, of the United States' government, and of China. */
const microsoft = /^https:\/\/login\.(microsoftonline\.com|microsoftonline\.us|partner\.microsoftonline\.cn)\//;
/** Directories in which anybody can have an account. */
export const isSharedDirectory = (issuer: string): boolean =>
  microsoft.test(issuer) && /^\/(common|organizations|consumers)\b/.test(new URL(issuer).pathname);

/** Microsoft uses its own claim, if the application requests it. */
const saysVerified = ({ issuer }: Pick<Provider, 'issuer'>, claims: Claims): boolean =>
  isTrue(claims.email_verified) || (microsoft.test(issuer) && isTrue(claims.xms_edov));

/** The highest role of the groups; an ordinary user without any. Root cannot be mapped. */
function mappedRole({ roleClaim, roleMap }: Provider, claims: Claims): number | null {
  if (roleClaim === '' || Object.keys(roleMap).length === 0) return null;
  const found = [claimAt(claims, roleClaim)]
    .flat()
    .map((group) => (typeof group === 'string' && Object.hasOwn(roleMap, group) ? roleMap[group]! : roles.user));
  return Math.min(Math.max(roles.user, ...found), roles.administrator);
}

/** A claim by name, or by path, such as Keycloak's `realm_access.roles`; literal names with dots first. */
export function claimAt(claims: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Exact domain: a subdomain may belong to others. */
export function domainAllowed({ emailDomains }: Provider, email: string): boolean {
  if (emailDomains.length === 0) return true;
  return emailDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
