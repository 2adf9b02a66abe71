import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { errorOf, get, put } from '../../api.ts';
import { queryClient } from '../../session.ts';

const key = ['applications'];
export const pageSize = 20;

export const applicationsQuery = (page: number) =>
  queryOptions({
    queryKey: [...key, 'page', page],
    queryFn: ({ signal }) => get('/api/oauth2/applications', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });

export const applicationQuery = (id: number) =>
  queryOptions({
    queryKey: [...key, 'one', id],
    queryFn: ({ signal }) => get('/api/oauth2/applications/{app_id}', { path: { app_id: id }, signal }),
  });

/** From then on, owners and administrators of the team's organisation manage the application. */
export const giveToTeam = (id: number, teamId: number) =>
  put('/api/oauth2/applications/{app_id}/owner', { path: { app_id: id }, body: { type: 'team', id: teamId } });

export const reloadApplications = () => queryClient.invalidateQueries({ queryKey: key });

export interface Discovery {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  scopes_supported: string[];
  /** Present if OpenID Connect is turned on. */
  jwks_uri?: string;
  device_authorization_endpoint?: string;
}

/** The addresses for clients; they may differ from the address of this page. */
export const discoveryQuery = queryOptions({
  queryKey: ['discovery'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/api/oauth2/.well-known/openid-configuration', { signal });
    if (!response.ok) throw await errorOf(response);
    return (await response.json()) as Discovery;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
