import { queryOptions } from '@tanstack/react-query';
import { get } from '../../api.ts';

export const pageSize = 5;

/** What was paid, and what can be. */
export const topUpsQuery = (page: number) =>
  queryOptions({
    queryKey: ['topups', page],
    queryFn: ({ signal }) => get('/api/user/topups', { query: { page, page_size: pageSize }, signal }),
  });
