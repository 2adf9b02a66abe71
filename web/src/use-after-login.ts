import { useRouter, useSearch } from '@tanstack/react-router';
import { safeNext } from './search-params.ts';
import { forgetUser, type OwnUser, queryClient, selfQuery } from './session.ts';

/** Called after every kind of login: caches the user and goes to the page they wanted. */
export function useAfterLogin() {
  const router = useRouter();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const entered = (user: OwnUser) => {
    forgetUser();
    queryClient.setQueryData(selfQuery.queryKey, user);
    // Back leads to the page before, not to the login page, which would only lead here again.
    router.history.replace(safeNext(next, window.location.origin));
  };
  return { next, entered };
}
