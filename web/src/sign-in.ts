import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from './api.ts';
import { t } from './language/words.ts';
import { queryClient } from './session.ts';

/** The providers through which people may sign in. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: ({ signal }) => get('/api/auth/providers', { signal }),
  staleTime: 60_000,
});

/** The accounts elsewhere that let the user in. */
export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: ({ signal }) => get('/api/user/identities', { signal }),
});
/** Whoever signs in through others alone has none, and has signed in a moment ago instead where one is asked for. */
export const useHasPassword = (): boolean => useQuery(identitiesQuery).data?.has_password !== false;
export const reloadIdentities = (): Promise<unknown> =>
  queryClient.invalidateQueries({ queryKey: identitiesQuery.queryKey });

/** Left by a navigation, not by a call: the provider's own pages come next. */
export const startUrl = (slug: string, returnTo: string): string =>
  `/api/auth/${slug}/start?${new URLSearchParams({ return_to: returnTo })}`;

const faults: Record<string, string> = {
  denied: t('The sign-in was cancelled.'),
  expired: t('The sign-in took too long, or was begun in another browser. Try again.'),
  provider_failed: t(
    'The provider could not be reached, or its answer could not be trusted. Try again, or ask the operator.',
  ),
  email_not_verified: t('The provider does not say that your email address is verified.'),
  domain_not_allowed: t('Your email address is not one of those that may sign in here.'),
  sign_up_closed: t('You have no account here yet, and new ones are not made by signing in. Ask an administrator.'),
  account_disabled: t('This account is disabled.'),
  already_linked: t('That account is connected to another user already.'),
  not_logged_in: t('Somebody else has logged in meanwhile. Nothing was connected.'),
};

/** The words for a code in the address; null for anything else, since anybody can write an address. */
export const signInFault = (code: unknown): string | null =>
  typeof code === 'string' && Object.hasOwn(faults, code) ? faults[code]! : null;
