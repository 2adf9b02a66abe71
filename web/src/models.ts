import { queryOptions } from '@tanstack/react-query';
import { errorOf } from './api.ts';

export interface ListedModel {
  id: string;
  owned_by: string;
}

/** The models this user may call. The header tells the relay that a page asks, so that the session counts as the key. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/v1/models', { headers: { 'x-svc-web': '1' }, signal });
    if (!response.ok) throw await errorOf(response);
    const { data } = (await response.json()) as { data: ListedModel[] };
    return data;
  },
  staleTime: 60_000,
});
