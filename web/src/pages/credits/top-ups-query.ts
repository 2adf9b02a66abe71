import { queryOptions } from '@tanstack/react-query';
import { get } from '../../api.ts';

export const pageSize = 5;

/** Past payments and the amounts on offer. */
export const topUpsQuery = (page: number) =>
  queryOptions({
    queryKey: ['topups', page],
    queryFn: ({ signal }) => get('/api/user/topups', { query: { page, page_size: pageSize }, signal }),
  });
