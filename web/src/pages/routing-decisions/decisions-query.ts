import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';

export type Decision = Result<'/api/routing/decisions', 'get'>['decisions'][number];
export type Candidate = Decision['candidates'][number];
export type Attempt = Decision['attempts'][number];

export const decisionPageSize = 25;

export const decisionsQuery = (filter: { request: string; model: string; parent: string }, page: number) =>
  queryOptions({
    queryKey: ['routing-decisions', filter, page],
    queryFn: ({ signal }) =>
      get('/api/routing/decisions', {
        query: {
          page,
          page_size: decisionPageSize,
          ...(filter.request && { request_id: filter.request }),
          ...(filter.model && { model_id: filter.model }),
          ...(filter.parent && { parent_request_id: filter.parent }),
        },
        signal,
      }),
    placeholderData: (before) => before,
  });
