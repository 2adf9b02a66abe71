import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { isAdmin, type User } from '../../session.ts';
import type { LogsFilter, UsageFilter } from './usage-range.ts';

export const pageSize = 25;

export type UsageSum = Result<'/api/usage/summary', 'get'>['items'][number];
/** The upstream's answer is only present for administrators. */
export type FailedRequest = Result<'/api/usage/failures', 'get'>['failures'][number] &
  Partial<Result<'/api/admin/usage/failures', 'get'>['failures'][number]>;
export type Grouping = 'day' | 'model' | 'token';

/** A single request for all parts of the page, which select their grouping from it. */
export const summaryQuery = (filter: UsageFilter, by: Grouping) =>
  queryOptions({
    queryKey: ['usage', 'summary', filter],
    queryFn: ({ signal }) => get('/api/usage/summary', { query: { ...filter, also: 'model,token' }, signal }),
    select: ({ items, total, also }) => ({ items: by === 'day' ? items : (also?.[by] ?? []), total }),
    placeholderData: keepPreviousData,
  });

export const logsQuery = (filter: LogsFilter, page: number) =>
  queryOptions({
    queryKey: ['usage', 'logs', filter, page],
    queryFn: ({ signal }) => get('/api/usage/logs', { query: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });

/** `everybody`: failures of all users, for administrators. */
export const failuresQuery = (user: Pick<User, 'id' | 'role'>, filter: UsageFilter, everybody: boolean, page: number) =>
  queryOptions({
    queryKey: ['usage', 'failures', filter, everybody, page],
    queryFn: async ({ signal }): Promise<{ failures: FailedRequest[]; total: number }> => {
      const query = { ...filter, page, page_size: pageSize };
      if (!isAdmin(user)) return get('/api/usage/failures', { query, signal });
      return get('/api/admin/usage/failures', { query: { ...query, ...(!everybody && { user_id: user.id }) }, signal });
    },
    placeholderData: keepPreviousData,
  });
