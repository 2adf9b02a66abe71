import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result, stillThere } from '../../api.ts';
import { byCursor } from '../../by-cursor.ts';
import { queryClient } from '../../session.ts';

export type RunSummary = Result<'/api/svc-ms/autonomous', 'get'>['executions'][number];
export type RunStatus = Result<'/api/svc-ms/autonomous/{session_id}/status', 'get'>;

export const pageSize = 20;

type StatusFilter = RunSummary['status'];

export const runsQuery = (page: number, status: string) =>
  queryOptions({
    queryKey: ['runs', 'list', page, status],
    queryFn: ({ signal }) =>
      get('/api/svc-ms/autonomous', {
        query: { page, page_size: pageSize, status: (status || undefined) as StatusFilter | undefined },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.executions.some((run) => run.status === 'running') ? 3_000 : false),
  });

export const runQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['runs', 'status', session_id],
    queryFn: ({ signal }) => get('/api/svc-ms/autonomous/{session_id}/status', { path: { session_id }, signal }),
    // Duration and cost also grow between events, so poll.
    refetchInterval: ({ state }) => (stillThere(state)?.status === 'running' ? 2_000 : false),
  });

export const checkpointsQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['runs', 'checkpoints', session_id],
    queryFn: ({ signal }) => get('/api/svc-ms/autonomous/{session_id}/checkpoints', { path: { session_id }, signal }),
  });

export type TimelinePage = Result<'/api/svc-ms/autonomous/{session_id}/timeline', 'get'>;
export type TimelineEntry = TimelinePage['entries'][number];

/** Newest first; later pages hold older entries. */
export const timelineQuery = (session_id: string) =>
  byCursor(['runs', 'timeline', session_id], 50, (query, signal) =>
    get('/api/svc-ms/autonomous/{session_id}/timeline', { path: { session_id }, query, signal }),
  );

export type PendingCall = RunStatus['pending_approvals'][number];

export const toolsQuery = queryOptions({
  queryKey: ['connected-tools'],
  queryFn: ({ signal }) => get('/api/mcp/tools', { signal }),
});

export const reloadRuns = () => queryClient.invalidateQueries({ queryKey: ['runs'] });
