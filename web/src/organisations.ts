import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from './api.ts';
import { queryClient } from './session.ts';

/** What pages outside the organisation pages (keys, applications) need to know about organisations. */

export type Organisation = Result<'/api/organisations', 'get'>['organisations'][number];
export type Role = Organisation['role'];
export type Team = Result<'/api/organisations/{id}/teams', 'get'>['teams'][number];
export type Member = Result<'/api/organisations/{id}/members', 'get'>['members'][number];
export type OrganisationKey = Result<'/api/organisations/{id}/keys', 'get'>['keys'][number];

export const roles = ['owner', 'admin', 'member', 'viewer'] as const satisfies Role[];

/** Mirrors the rules of the service, so that pages offer nothing that it would reject. */
const rights = {
  /** View everybody's spending and all budgets. */
  see_all: ['owner', 'admin', 'viewer'],
  /** Have own keys. */
  use: ['owner', 'admin', 'member'],
  /** Manage teams, members, invitations, keys of other members and teams, budgets, limits and servers. */
  manage: ['owner', 'admin'],
  /** Change name, time zone, payer and webhook; delete the organisation. */
  own: ['owner'],
} as const satisfies Record<string, Role[]>;

export const may = (role: Role, right: keyof typeof rights): boolean =>
  (rights[right] as readonly Role[]).includes(role);

/** Roles that this role may assign. An administrator can neither create owners nor change them. */
export const givable = (role: Role): Role[] => roles.filter((one) => role === 'owner' || one !== 'owner');

const key = 'organisations';

export const organisationsQuery = queryOptions({
  queryKey: [key],
  queryFn: async ({ signal }) => (await get('/api/organisations', { signal })).organisations,
});

/** Organisations whose directories list the logged-in user. */
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
    queryFn: async ({ signal }) => {
      const keys: OrganisationKey[] = [];
      let cursor: string | undefined;
      do {
        const part = await get('/api/organisations/{id}/keys', { path: { id }, query: { cursor }, signal });
        keys.push(...part.keys);
        cursor = part.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return keys;
    },
  });

/** Invalidates all data of one organisation, or of all of them: one change may show in several places. */
export const reloadOrganisations = (id?: number): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: id === undefined ? [key] : [key, id] }),
    id !== undefined && queryClient.invalidateQueries({ queryKey: [key], exact: true }),
  ]);
