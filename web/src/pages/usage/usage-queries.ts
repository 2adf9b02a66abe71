import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import type { LogsFilter, UsageFilter } from './usage-range.ts';

export const pageSize = 25;

export type UsageSum = Result<'/api/usage/summary', 'get'>['items'][number];
export type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];
export type Grouping = 'day' | 'model' | 'token';

export const summaryQuery = (filter: UsageFilter, group_by: Grouping) =>
  queryOptions({
    queryKey: ['usage', 'summary', group_by, filter],
    queryFn: ({ signal }) => get('/api/usage/summary', { query: { ...filter, group_by }, signal }),
    placeholderData: keepPreviousData,
  });

export const logsQuery = (filter: LogsFilter, page: number) =>
  queryOptions({
    queryKey: ['usage', 'logs', filter, page],
    queryFn: ({ signal }) => get('/api/usage/logs', { query: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
