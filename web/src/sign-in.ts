import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from './api.ts';
import { t } from './language/words.ts';
import { queryClient } from './session.ts';

/** Identity providers that users may sign in with. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => get('/api/auth/providers', { signal }),
  staleTime: 60_000,
});

/** External accounts linked to the user. */
export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: ({ signal }) => get('/api/user/identities', { signal }),
});
/**
 * False for users who sign in only through providers; where a password is required, they need a recent sign-in instead.
 */
export const useHasPassword = (): boolean => useQuery(identitiesQuery).data?.has_password !== false;
export const reloadIdentities = (): Promise<unknown> =>
  queryClient.invalidateQueries({ queryKey: identitiesQuery.queryKey });

/** Must be opened as a navigation, not fetched, because it redirects to the provider's pages. */
export const startUrl = (slug: string, returnTo: string): string =>
  `/api/auth/${slug}/start?${new URLSearchParams({ return_to: returnTo })}`;

const faults: Record<string, string> = {
  denied: t('The sign-in was cancelled.'),
  expired: t('The sign-in took too long or was started in another browser. Try again.'),
  provider_failed: t(
    'The provider could not be reached, or its response could not be trusted. Try again, or contact the operator.',
  ),
  email_not_verified: t('The provider did not confirm that your email address is verified.'),
  domain_not_allowed: t('Your email address is not allowed to sign in here.'),
  sign_up_closed: t('You have no account here yet, and signing in does not create one. Contact an administrator.'),
  account_disabled: t('This account is disabled.'),
  already_linked: t('That account is already connected to another user.'),
  not_logged_in: t('Someone else has logged in in the meantime. No account was connected.'),
};

/** The message for an error code in the URL; null for unknown codes, because anybody can craft a URL. */
export const signInFault = (code: unknown): string | null =>
  typeof code === 'string' && Object.hasOwn(faults, code) ? faults[code]! : null;
