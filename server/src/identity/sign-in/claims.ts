import { avatarRule, displayNameRule, emailRule, roles } from '../user.ts';
import type { Provider } from './store/providers.ts';

/** What a provider says of somebody, as it says it. */
export type Claims = Record<string, unknown> & { sub: string };

/** The same as far as it is believed. */
export interface Person {
  subject: string;
  /** Empty where none was given. */
  email: string;
  emailVerified: boolean;
  displayName: string;
  avatarUrl: string;
  /** What to be called, most wanted first. */
  names: string[];
  /** Null where the provider does not decide it. */
  role: number | null;
  /** When they last showed who they are there (OpenID Connect Core §2, `auth_time`); null where the provider does not say. */
  provenAt: number | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
/** Some providers write booleans as text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

/** RFC 5321 §4.5.3.1.3, less the angle brackets; more of it is not looked at. */
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

/** Microsoft says it in a claim of its own, where the application asks for it. */
const saysVerified = ({ issuer }: Provider, claims: Claims): boolean =>
  isTrue(claims.email_verified) || (issuer.startsWith('https://login.microsoftonline.com/') && isTrue(claims.xms_edov));

/** The highest role that one of the groups gives; without any, a user like others. Root is in no map. */
function mappedRole({ roleClaim, roleMap }: Provider, claims: Claims): number | null {
  if (roleClaim === '' || Object.keys(roleMap).length === 0) return null;
  const found = [claimAt(claims, roleClaim)]
    .flat()
    .map((group) => (typeof group === 'string' && Object.hasOwn(roleMap, group) ? roleMap[group]! : roles.user));
  return Math.min(Math.max(roles.user, ...found), roles.administrator);
}

/** A claim by its name, or by a path: `realm_access.roles` of Keycloak, names that hold dots first. */
export function claimAt(claims: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Exactly one of the domains: whoever has a subdomain need not have the domain. */
export function domainAllowed({ emailDomains }: Provider, email: string): boolean {
  if (emailDomains.length === 0) return true;
  return emailDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
