/** The home page's queries. Prefetched while the page's code loads, so that both arrive together. */
import { queryOptions } from '@tanstack/react-query';
import { get } from '../../api.ts';
import { dayOf, startOf } from '../../dates.ts';
import { modelsQuery } from '../../models.ts';
import { waitingQuery } from '../../organisations.ts';
import { currentUser, queryClient } from '../../session.ts';

export function todayQuery() {
  const from = startOf(dayOf(Date.now()));
  return queryOptions({
    queryKey: ['usage', 'today', from],
    queryFn: ({ signal }) => get('/api/usage/summary', { query: { from, group_by: 'day' }, signal }),
  });
}

/** One question to the orchestration model takes a dozen calls, so fetch enough for several questions. */
const fetched = 60;

export const recentQuery = queryOptions({
  queryKey: ['usage', 'recent'],
  queryFn: ({ signal }) => get('/api/usage/logs', { query: { page: 1, page_size: fetched }, signal }),
});

/** Prefetches without awaiting; the page retries what failed and shows the error. */
export async function prepareHome(): Promise<void> {
  const user = await currentUser();
  queryClient.prefetchQuery(todayQuery());
  queryClient.prefetchQuery(modelsQuery);
  if (user?.email_verified) queryClient.prefetchQuery(waitingQuery);
  if (user && user.request_count > 0) queryClient.prefetchQuery(recentQuery);
}
