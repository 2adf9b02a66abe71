import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result, stillThere } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type Session = Result<'/api/svc-ms/sessions', 'get'>['sessions'][number];
export type SessionDetail = Result<'/api/svc-ms/sessions/{session_id}', 'get'>;
export type History = Result<'/api/svc-ms/sessions/{session_id}/history', 'get'>;
export type Message = History['messages'][number];
export type Plan = NonNullable<SessionDetail['active_plan']>;

export const pageSize = 25;
export const historySize = 50;

export const sessionsQuery = (page: number, tag: string) =>
  queryOptions({
    queryKey: ['sessions', 'list', page, tag],
    queryFn: ({ signal }) =>
      get('/api/svc-ms/sessions', { query: { page, page_size: pageSize, tag: tag || undefined }, signal }),
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['sessions', 'one', session_id],
    queryFn: ({ signal }) => get('/api/svc-ms/sessions/{session_id}', { path: { session_id }, signal }),
    // Polls while a plan is running.
    refetchInterval: ({ state }) => (stillThere(state)?.has_active_plan ? 3_000 : false),
  });

export const historyPage = (session_id: string, page: number, signal: AbortSignal): Promise<History> =>
  get('/api/svc-ms/sessions/{session_id}/history', {
    path: { session_id },
    query: { page, page_size: historySize },
    signal,
  });

export const reloadSessions = () => queryClient.invalidateQueries({ queryKey: ['sessions'] });
