import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from './api.ts';
import { queryClient } from './session.ts';

/** What pages of keys and applications know of organisations, besides the organisations' own pages. */

export type Organisation = Result<'/api/organisations', 'get'>['organisations'][number];
export type Role = Organisation['role'];
export type Team = Result<'/api/organisations/{id}/teams', 'get'>['teams'][number];
export type Member = Result<'/api/organisations/{id}/members', 'get'>['members'][number];
export type OrganisationKey = Result<'/api/organisations/{id}/keys', 'get'>['keys'][number];

export const roles = ['owner', 'admin', 'member', 'viewer'] as const satisfies Role[];

/** As the service decides; pages offer nothing that it would refuse. */
const rights = {
  /** What everybody spends, and all budgets. */
  see_all: ['owner', 'admin', 'viewer'],
  /** Keys of one's own. */
  use: ['owner', 'admin', 'member'],
  /** Teams, members, invitations, keys of others and of teams, budgets, limits, servers. */
  manage: ['owner', 'admin'],
  /** Name, time zone, who pays, the webhook, and its end. */
  own: ['owner'],
} as const satisfies Record<string, Role[]>;

export const may = (role: Role, right: keyof typeof rights): boolean =>
  (rights[right] as readonly Role[]).includes(role);

/** An administrator neither makes owners nor changes them. */
export const givable = (role: Role): Role[] => roles.filter((one) => role === 'owner' || one !== 'owner');

const key = 'organisations';

export const organisationsQuery = queryOptions({
  queryKey: [key],
  queryFn: async ({ signal }) => (await get('/api/organisations', { signal })).organisations,
});

/** Organisations whose directories name whoever is logged in. */
export const waitingQuery = queryOptions({
  queryKey: [key, 'waiting'],
  queryFn: async ({ signal }) => (await get('/api/invitations', { signal })).waiting,
});

export const organisationQuery = (id: number) =>
  queryOptions({
    queryKey: [key, id],
    queryFn: ({ signal }) => get('/api/organisations/{id}', { path: { id }, signal }),
  });

export const teamsQuery = (id: number) =>
  queryOptions({
    queryKey: [key, id, 'teams'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/teams', { path: { id }, signal })).teams,
  });

export const membersQuery = (id: number) =>
  queryOptions({
    queryKey: [key, id, 'members'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/members', { path: { id }, signal })).members,
  });

export const organisationKeysQuery = (id: number) =>
  queryOptions({
    queryKey: [key, id, 'keys'],
    queryFn: async ({ signal }) => (await get('/api/organisations/{id}/keys', { path: { id }, signal })).keys,
  });

/** Everything of one organisation, or of all: what is changed in one place shows in several. */
export const reloadOrganisations = (id?: number): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: id === undefined ? [key] : [key, id] }),
    id !== undefined && queryClient.invalidateQueries({ queryKey: [key], exact: true }),
  ]);
