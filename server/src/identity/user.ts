import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import { languages } from '../lib/languages.ts';
import { shownName } from '../platform/http/shown-text.ts';

export const roles = { user: 1, administrator: 10, root: 100 } as const;
export const statuses = { enabled: 1, disabled: 2 } as const;

export const userSchema = z
  .object({
    id: z.number().int(),
    username: z.string(),
    display_name: z.string(),
    avatar_url: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    role: z.number().int(),
    status: z.number().int(),
    group: z.string(),
    quota: z.number().int(),
    used_quota: z.number().int(),
    request_count: z.number().int(),
    created_at: z.number().int(),
  })
  .meta({ id: 'User' });
/** A user as the store holds it, without the password. */
export type User = z.infer<typeof userSchema>;

export const languageRule = z.enum(languages);
/** To themselves: in what they are written to as well. */
export const ownUserSchema = z
  .object({
    ...userSchema.shape,
    language: languageRule.nullable().describe('Of mails and pages; null while nobody has said'),
  })
  .meta({ id: 'OwnUser' });

export const usernameRule = z.string().regex(/^[A-Za-z0-9_.-]{3,32}$/, 'must be 3-32 of A-Z a-z 0-9 _ . -');
export const passwordRule = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters');
export const displayNameRule = shownName(64);
export const emailRule = z.union([z.literal(''), z.email('must be an email address').max(254)]);
/** Shown as an image on pages of others, so only https, or nothing. */
export const avatarRule = z
  .string()
  .max(2000)
  .refine((v) => v === '' || (URL.canParse(v) && new URL(v).protocol === 'https:'), 'must be an https address');

/** Begins the username of a user that stands for an organisation: those of people hold no colon. */
export const organisationMark = 'organisation:';
export const newOrganisationUsername = (): string => `${organisationMark}${randomString(16).toLowerCase()}`;
export const isOrganisation = ({ username }: Pick<User, 'username'>): boolean => username.startsWith(organisationMark);

/** Those who run it act for it, each under their own name: a session, or a role, of its account would be nobody's to answer for. */
export function requireNoOrganisation(user: Pick<User, 'username'>): void {
  if (isOrganisation(user))
    throw new AppError('conflict', 'This user stands for an organisation, and nobody logs in as it.');
}

/** What people call an account: a person by the username, an organisation by its name. */
export const accountName = (user: Pick<User, 'username' | 'display_name'>): string =>
  isOrganisation(user) ? user.display_name : user.username;

/** Whose something is, in answers: for programs and for people. */
export const accountFields = {
  username: z.string().nullable().describe('Null for a user who is gone'),
  account_name: z.string().nullable().describe('What to show: the username, or the name of an organisation'),
};
export type AccountNames = Record<keyof typeof accountFields, string>;
export const goneAccount = { username: null, account_name: null };

export const sameName = (username: string): string => username.toLowerCase();
