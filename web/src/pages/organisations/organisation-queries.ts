import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { byCursor } from '../../by-cursor.ts';
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

export const requestsQuery = (id: number, filter: LevelFilter) =>
  byCursor(['organisations', id, 'requests', filter], pageSize, (part, signal) =>
    get('/api/organisations/{id}/requests', { path: { id }, query: { ...filter, ...part }, signal }),
  );

export const decisionsQuery = (id: number, filter: LevelFilter) =>
  byCursor(['organisations', id, 'decisions', filter], pageSize, (part, signal) =>
    get('/api/organisations/{id}/decisions', { path: { id }, query: { ...filter, ...part }, signal }),
  );

export const actsQuery = (id: number) =>
  byCursor(['organisations', id, 'audit'], pageSize, (part, signal) =>
    get('/api/organisations/{id}/audit', { path: { id }, query: part, signal }),
  );
