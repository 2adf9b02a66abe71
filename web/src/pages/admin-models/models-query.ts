import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';

export type ProviderModel = Result<'/api/admin/provider-models', 'get'>['provider_models'][number];
export type ModelType = ProviderModel['type'];

export const modelPageSize = 25;

export const modelTypes: ModelType[] = [
  'chat',
  'embedding',
  'image',
  'speech',
  'transcription',
  'moderation',
  'rerank',
  'video',
];

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
