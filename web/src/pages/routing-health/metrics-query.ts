import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';

export type Metrics = Result<'/api/routing/metrics', 'get'>['metrics'][number];

export const healthPageSize = 50;
export const refreshMs = 5_000;

export const metricsQuery = (filter: { model: string; provider: string }, page: number) =>
  queryOptions({
    queryKey: ['routing-metrics', filter, page],
    queryFn: ({ signal }) =>
      get('/api/routing/metrics', {
        query: {
          page,
          page_size: healthPageSize,
          ...(filter.model && { model_id: filter.model }),
          ...(filter.provider && { provider: filter.provider }),
        },
        signal,
      }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });
