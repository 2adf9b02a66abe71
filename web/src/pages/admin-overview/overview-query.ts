import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { askedOf, type OverviewState, timesOf } from './overview-range.ts';

export type Overview = Result<'/api/admin/overview', 'get'>;
export type Series = Overview['series'][number];
export type Sums = Overview['total'];
export type Alert = Result<'/api/admin/alerts', 'get'>['alerts'][number];

const refreshMs = 30_000;

/** The key contains the range instead of the current time, so that it stays the same while the page is open. */
export const overviewQuery = (state: OverviewState) => {
  const asked = askedOf(state);
  const { range, from, to } = state;
  return queryOptions({
    queryKey: ['overview', asked, { range, from, to }],
    queryFn: ({ signal }) => get('/api/admin/overview', { query: { ...asked, ...timesOf(state, Date.now()) }, signal }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
};

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: async ({ signal }) => (await get('/api/admin/alerts', { signal })).alerts,
  refetchInterval: refreshMs,
});
