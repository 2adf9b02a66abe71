import { useQuery } from '@tanstack/react-query';
import { allChannelsQuery, metricsQuery, providerModelsQuery } from '../../catalog.ts';
import { t } from '../../language/words.ts';
import type { Measured } from './scores.ts';

export interface MeasuredCandidate extends Measured {
  key: string;
  provider: string;
  channel: string;
}

/** The providers of a model, with the metrics they are scored by. */
export function useMeasured(model: string): MeasuredCandidate[] {
  const metrics = useQuery(metricsQuery({ model, provider: '' }, 1)).data?.metrics ?? [];
  const models = useQuery(providerModelsQuery({ channel: '', type: '', model }, 1)).data?.provider_models ?? [];
  const channels = useQuery(allChannelsQuery).data?.channels ?? [];
  return metrics
    .filter(({ model_id }) => model_id === model)
    .map((row) => {
      const served = models.find(({ channel_id }) => channel_id === row.channel_id);
      const channel = channels.find(({ id }) => id === row.channel_id);
      return {
        key: `${row.provider} ${row.channel_id}`,
        provider: row.provider,
        channel: channel?.name ?? t('built in'),
        successRate: row.success_rate_last_hour,
        latencyMs: row.avg_latency_ms,
        quality: row.quality_score,
        price: served ? (served.prompt_price + served.completion_price) / 2 : 0,
        priority: channel?.priority ?? 0,
      };
    });
}
