import type { Scope } from '../scopes.ts';

/** The data of standard claims. */
export interface ClaimedPerson {
  username: string;
  display_name: string;
  avatar_url: string;
  email: string;
  email_verified: boolean | number;
}
type Claims = Record<string, string | boolean>;

export const profileClaims = ({ username, display_name, avatar_url }: ClaimedPerson): Claims => ({
  ...(display_name !== '' && { name: display_name }),
  preferred_username: username,
  ...(avatar_url !== '' && { picture: avatar_url }),
});

const emailClaims = ({ email, email_verified }: ClaimedPerson): Claims =>
  email === '' ? {} : { email, email_verified: email_verified === true || email_verified === 1 };

/** OpenID Connect Core §5.4: by scope; empty claims are omitted (§5.3.2). */
export const standardClaims = (person: ClaimedPerson, scopes: readonly Scope[]): Claims => ({
  ...(scopes.includes('profile') && profileClaims(person)),
  ...(scopes.includes('email') && emailClaims(person)),
});
