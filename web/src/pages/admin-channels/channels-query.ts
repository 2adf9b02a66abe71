import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type Channel = Result<'/api/admin/channels/{id}', 'get'>;

/** A provider that needs nothing but a key. */
export interface Preset {
  id: string;
  name: string;
  kind: string;
  base_url: string;
  env: string;
  needs_key: boolean;
  key_url: string;
  models: { model_id: string; name: string; type: string }[];
}

export const channelPageSize = 20;

export const channelsQuery = (page: number, pageSize = channelPageSize) =>
  queryOptions({
    queryKey: ['channels', page, pageSize],
    queryFn: ({ signal }) => get('/api/admin/channels', { query: { page, page_size: pageSize }, signal }),
    placeholderData: (before) => before,
  });

/** As many as one answer holds: for choosing one. */
export const allChannelsQuery = channelsQuery(1, 100);

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async ({ signal }) => {
    const { presets } = await get('/api/admin/presets', { signal });
    // The OpenAPI document knows them only as objects.
    return presets as unknown as Preset[];
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** A channel changes what every page can say about models. */
export const reloadCatalog = (): Promise<unknown> =>
  Promise.all(
    ['channels', 'provider-models', 'models', 'routing-metrics'].map((key) =>
      queryClient.invalidateQueries({ queryKey: [key] }),
    ),
  );
