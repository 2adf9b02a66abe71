import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, type Result } from './api.ts';
import { t } from './language/words.ts';
import { isAdmin, queryClient, useUser } from './session.ts';

export type Channel = Result<'/api/admin/channels/{id}', 'get'>;

/** Status value of enabled channels and models. */
export const switchedOn = 1;
export const switchedOff = 2;

/** A provider that can be added with just a key. */
export type Preset = Result<'/api/admin/presets', 'get'>['presets'][number];

export const channelPageSize = 20;

export const channelsQuery = (page: number, pageSize = channelPageSize) =>
  queryOptions({
    queryKey: ['channels', page, pageSize],
    queryFn: ({ signal }) => get('/api/admin/channels', { query: { page, page_size: pageSize }, signal }),
    placeholderData: (before) => before,
  });

/** The largest page the API returns; for select inputs. */
export const allChannelsQuery = channelsQuery(1, 100);

export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: async ({ signal }) => (await get('/api/admin/presets', { signal })).presets,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Invalidates everything that depends on channels: a changed channel affects models on every page. */
export const reloadCatalog = (): Promise<unknown> =>
  Promise.all(
    ['channels', 'provider-models', 'models', 'routing-metrics'].map((key) =>
      queryClient.invalidateQueries({ queryKey: [key] }),
    ),
  );

/** Channel names if the user may see them, else their ids. The built-in provider has no channel of its own. */
export function useChannelNames(): (id: number) => string {
  const admin = isAdmin(useUser());
  const channels = useQuery({ ...allChannelsQuery, enabled: admin }).data?.channels ?? [];
  return (id) =>
    id <= 0 ? t('built in') : (channels.find((channel) => channel.id === id)?.name ?? t('channel {id}', { id }));
}

export type ProviderModel = Result<'/api/admin/provider-models', 'get'>['provider_models'][number];
export type ModelType = ProviderModel['type'];

export const modelPageSize = 25;

const typeNames: Record<ModelType, string> = {
  chat: t('chat##type'),
  embedding: t('embedding##type'),
  image: t('image##type'),
  speech: t('speech##type'),
  transcription: t('transcription##type'),
  moderation: t('moderation##type'),
  rerank: t('rerank##type'),
  video: t('video##type'),
  realtime: t('realtime##type'),
};
export const typeName = (type: ModelType): string => typeNames[type];

/** Options for a select input. */
export const modelTypes = Object.entries(typeNames).map(([value, label]) => ({ value, label }));

export interface ModelFilter {
  channel: string;
  type: string;
  model: string;
}

export const providerModelsQuery = ({ channel, type, model }: ModelFilter, page: number) =>
  queryOptions({
    queryKey: ['provider-models', { channel, type, model }, page],
    queryFn: ({ signal }) =>
      get('/api/admin/provider-models', {
        query: {
          page,
          page_size: modelPageSize,
          ...(channel && { channel_id: Number(channel) }),
          ...(type && { type: type as ModelType }),
          ...(model && { model_id: model }),
        },
        signal,
      }),
    placeholderData: (before) => before,
  });

/** The largest page the API returns; for select inputs. */
export const channelModelsQuery = (channelId: number) =>
  queryOptions({
    queryKey: ['provider-models', 'of channel', channelId],
    queryFn: ({ signal }) =>
      get('/api/admin/provider-models', { query: { channel_id: channelId, page: 1, page_size: 100 }, signal }),
  });

export type Metrics = Result<'/api/routing/metrics', 'get'>['metrics'][number];

export const healthPageSize = 50;
export const refreshMs = 5_000;

export const metricsQuery = (filter: { model: string; provider: string }, page: number) =>
  queryOptions({
    queryKey: ['routing-metrics', filter, page],
    queryFn: ({ signal }) =>
      get('/api/routing/metrics', {
        query: {
          page,
          page_size: healthPageSize,
          ...(filter.model && { model_id: filter.model }),
          ...(filter.provider && { provider: filter.provider }),
        },
        signal,
      }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });
