import { QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError, get, type Result } from './api.ts';
import { askingAgain } from './ask-again.ts';

/** Whoever is signed in. */
export type OwnUser = Result<'/api/user/self', 'put'>;
export type User = Omit<OwnUser, 'language'>;

const adminRole = 10;
export const isAdmin = (user: Pick<User, 'role'>): boolean => user.role >= adminRole;

export const queryClient = new QueryClient({
  queryCache: askingAgain(),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // A refusal will not change by asking again; a lost connection or a 5xx may.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      retryDelay: (attempt) => 400 * 2 ** attempt,
      // Offline a page says so; one that waited for the network would show nothing, for as long as that takes.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Offline an act fails at once: one that waited for the network would happen after it was cancelled.
    mutations: { networkMode: 'always' },
  },
});

export const selfQuery = queryOptions({
  queryKey: ['self'],
  /** What an act on the account answers is kept as well, and says nothing of notices. */
  queryFn: ({ signal }): Promise<OwnUser & { notices?: number }> => get('/api/user/self', { signal }),
  staleTime: 30_000,
});

/** The signed-in user, or null when the service does not know us. Other failures are thrown. */
export async function currentUser(): Promise<OwnUser | null> {
  try {
    return await queryClient.ensureQueryData(selfQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** For pages inside the guard, which has loaded the user before they show. */
export const useUser = (): OwnUser => useSuspenseQuery(selfQuery).data;

/** All of the user's keys; the service keeps their number small enough for one answer. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => get('/api/tokens', { signal }),
});

const forgetting: (() => void)[] = [];
/** What else is kept of a user besides the answers of the service, and goes with them. */
export function onForget(forget: () => void): void {
  forgetting.push(forget);
}

/** Somebody leaves, or somebody else comes: nothing of whoever was here before stays in this tab. */
export function forgetUser(): void {
  queryClient.clear();
  for (const forget of forgetting) forget();
}

let tellEnded: (() => void) | null = null;
/** How a page says that its user is logged out; returns how to take that back. */
export function onSessionEnded(tell: () => void): () => void {
  tellEnded = tell;
  return () => {
    tellEnded = null;
  };
}
/** Whether the open page says it itself, and stays. */
export function sessionEnded(): boolean {
  tellEnded?.();
  return tellEnded !== null;
}
