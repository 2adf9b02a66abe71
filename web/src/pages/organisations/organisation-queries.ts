import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import type { Level } from './levels.ts';

export type Budget = Result<'/api/organisations/{id}/budgets', 'get'>['budgets'][number];
export type Warning = Result<'/api/organisations/{id}/warnings', 'get'>['warnings'][number];
export type Limits = Result<'/api/organisations/{id}/limits', 'get'>['limits'][number];
export type Invitation = Result<'/api/organisations/{id}/invitations', 'get'>['invitations'][number];
export type ScimToken = Result<'/api/organisations/{id}/scim', 'get'>['tokens'][number];
export type Act = Result<'/api/organisations/{id}/audit', 'get'>['logs'][number];

export const budgetsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'budgets'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/budgets', { path: { id }, signal })).budgets,
  });

export const warningsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'warnings'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/warnings', { path: { id }, signal })).warnings,
  });

export const limitsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'limits'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/limits', { path: { id }, signal })).limits,
  });

export const invitationsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'invitations'],
    queryFn: async ({ signal }) =>
      (await get('/api/organisations/{id}/invitations', { path: { id }, signal })).invitations,
  });

export const directoryQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'directory'],
    queryFn: ({ signal }) => get('/api/organisations/{id}/scim', { path: { id }, signal }),
  });

export const teamApplicationsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisations', id, 'applications'],
    queryFn: async ({ signal }) =>
      (await get('/api/organisations/{id}/applications', { path: { id }, signal })).applications,
  });

export interface LevelFilter {
  level: Level;
  level_id?: number;
  from?: number;
  to?: number;
}

export type Grouping = 'day' | 'model' | 'token';

export const usageQuery = (id: number, filter: LevelFilter, group_by: Grouping) =>
  queryOptions({
    queryKey: ['organisations', id, 'usage', filter, group_by],
    queryFn: ({ signal }) =>
      get('/api/organisations/{id}/usage', { path: { id }, query: { ...filter, group_by }, signal }),
    placeholderData: keepPreviousData,
  });

const pageSize = 25;

/** Paged by cursor: the list can be of any length. */
export const requestsQuery = (id: number, filter: LevelFilter) =>
  infiniteQueryOptions({
    queryKey: ['organisations', id, 'requests', filter],
    queryFn: ({ pageParam, signal }) =>
      get('/api/organisations/{id}/requests', {
        path: { id },
        query: { ...filter, page_size: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const decisionsQuery = (id: number, filter: LevelFilter) =>
  infiniteQueryOptions({
    queryKey: ['organisations', id, 'decisions', filter],
    queryFn: ({ pageParam, signal }) =>
      get('/api/organisations/{id}/decisions', {
        path: { id },
        query: { ...filter, page_size: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const actsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['organisations', id, 'audit'],
    queryFn: ({ pageParam, signal }) =>
      get('/api/organisations/{id}/audit', {
        path: { id },
        query: { page_size: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
