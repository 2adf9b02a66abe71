import { useRouter, useSearch } from '@tanstack/react-router';
import { safeNext } from './search-params.ts';
import { queryClient, selfQuery, type User } from './session.ts';

/** What follows logging in or registering: remember the user, go where they were headed. */
export function useEnter() {
  const router = useRouter();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const enter = (user: User) => {
    queryClient.clear();
    queryClient.setQueryData(selfQuery.queryKey, user);
    router.history.push(safeNext(next, window.location.origin));
  };
  return { enter, next: next === undefined ? {} : { next } };
}
