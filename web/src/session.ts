import { MutationCache, QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError, get, onAskingForUser, type Result } from './api.ts';
import { retryingQueryCache } from './retry-queries.ts';

/** The signed-in user. */
export type OwnUser = Result<'/api/user/self', 'put'>;
export type User = Omit<OwnUser, 'language'>;

const adminRole = 10;
export const isAdmin = (user: Pick<User, 'role'>): boolean => user.role >= adminRole;

/** What the action was about is gone or was changed meanwhile, so the page shows something old. */
const isOutdated = (error: Error): boolean => error instanceof ApiError && [404, 409, 410].includes(error.status);

export const queryClient = new QueryClient({
  queryCache: retryingQueryCache(),
  mutationCache: new MutationCache({
    onError: (error) => {
      if (isOutdated(error)) void queryClient.invalidateQueries();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // Retrying does not change a 4xx; it may help after a lost connection or a 5xx.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (attempt) => 400 * 2 ** attempt,
      // Fail at once when offline, so that the page can say so; by default the query would pause and show nothing.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Fail at once when offline: a paused mutation could run after the user has cancelled it.
    mutations: { networkMode: 'always' },
  },
});

export const selfQuery = queryOptions({
  queryKey: ['self'],
  /** `notices` is optional because responses of account mutations are cached here too, and do not include it. */
  queryFn: ({ signal }): Promise<OwnUser & { notices?: number }> => get('/api/user/self', { signal }),
  staleTime: 30_000,
});

onAskingForUser(() => queryClient.getQueryData(selfQuery.queryKey)?.id);

/** The signed-in user, or null if there is no valid session. Throws on other failures. */
export async function currentUser(): Promise<OwnUser | null> {
  try {
    return await queryClient.ensureQueryData(selfQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** For pages behind the login guard, which loads the user before they render. */
export const useUser = (): OwnUser => useSuspenseQuery(selfQuery).data;

/** All of the user's keys; the service limits their number, so one response holds them all. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => get('/api/tokens', { signal }),
});

const forgetting: (() => void)[] = [];
/** Registers cleanup of other user data, besides cached responses, when the user leaves. */
export function onForget(forget: () => void): void {
  forgetting.push(forget);
}

/** On logout or a change of user: removes all data of the previous user from this tab. */
export function forgetUser(): void {
  queryClient.clear();
  for (const forget of forgetting) forget();
}

let tellEnded: (() => void) | null = null;
/** Registers how the open page reports an ended session; returns a function that unregisters it. */
export function onSessionEnded(tell: () => void): () => void {
  tellEnded = tell;
  return () => {
    tellEnded = null;
  };
}
/** Returns whether the open page reports it and stays open. */
export function sessionEnded(): boolean {
  tellEnded?.();
  return tellEnded !== null;
}
