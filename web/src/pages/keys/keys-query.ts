import { queryOptions } from '@tanstack/react-query';
import { get } from '../../api.ts';

/** All of the user's keys; the service keeps their number small enough for one answer. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => get('/api/tokens', { signal }),
});
