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
/** A user as stored, without the password. */
export type User = z.infer<typeof userSchema>;

export const languageRule = z.enum(languages);
/** With private settings, for the user themselves. */
export const ownUserSchema = z
  .object({
    ...userSchema.shape,
    language: languageRule.nullable().describe('Language of emails and pages; null if not chosen yet'),
  })
  .meta({ id: 'OwnUser' });

export const usernameRule = z.string().regex(/^[A-Za-z0-9_.-]{3,32}$/, 'must be 3-32 characters of A-Z a-z 0-9 _ . -');
export const passwordRule = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters');
export const displayNameRule = shownName(64);
export const emailRule = z.union([z.literal(''), z.email('must be an email address').max(254)]);
/** Shown as an image on others' pages, so only https, or empty. */
export const avatarRule = z
  .string()
  .max(2000)
  .refine((v) => v === '' || (URL.canParse(v) && new URL(v).protocol === 'https:'), 'must be an https address');

/** Prefix of usernames that represent organisations; people's names contain no colon. */
export const organisationMark = 'organisation:';
export const newOrganisationUsername = (): string => `${organisationMark}${randomString(16).toLowerCase()}`;
export const isOrganisation = ({ username }: Pick<User, 'username'>): boolean => username.startsWith(organisationMark);

/**
 * Members act for an organisation under their own name: nobody would be accountable for a session or role of its
 * account.
 */
export function requireNoOrganisation(user: Pick<User, 'username'>): void {
  if (isOrganisation(user)) throw new AppError('conflict', 'This user represents an organisation and cannot log in.');
}

/** An account's displayed name: the username, or the organisation's name. */
export const accountName = (user: Pick<User, 'username' | 'display_name'>): string =>
  isOrganisation(user) ? user.display_name : user.username;

/** An owner in answers, for programs and people. */
export const accountFields = {
  username: z.string().nullable().describe('Null if the user was deleted'),
  account_name: z.string().nullable().describe('Display name: the username, or the name of an organisation'),
};
export type AccountNames = Record<keyof typeof accountFields, string>;
export const goneAccount = { username: null, account_name: null };

export const sameName = (username: string): string => username.toLowerCase();
