import { Stack, Text, Title } from '@mantine/core';
import { useChannelNames } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { ModelHealth } from '../../components/model-marks.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { formatMs, formatNumber, formatPercent } from '../../format.ts';
import { t } from '../../language/words.ts';
import { priceWords, tokenWords } from '../../model-facts.ts';
import type { ModelDetail, Offer } from '../../models.ts';

const milliseconds = (value: number | null): string => (value === null ? '–' : formatMs(value));

/** Without requests in the last hour the success rate is only a default, so it is not shown. */
const successWords = ({ health: { requests_last_hour, success_rate_last_hour: rate } }: Offer): string =>
  requests_last_hour === 0 ? '–' : formatPercent((rate * 100).toFixed(rate === 1 ? 0 : 1));

const columns = (model: string, channelName: (id: number) => string): Column<Offer>[] => [
  {
    key: 'provider',
    header: t('Provider'),
    cell: ({ provider, channel_id, model_id }) => (
      <Stack gap={0}>
        <AnchorLink to="/routing/health" search={{ model: model_id, provider }} size="sm" fw={600}>
          {provider}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {model_id === model ? channelName(channel_id) : model_id}
        </Text>
      </Stack>
    ),
  },
  { key: 'health', header: t('Health'), cell: (offer) => <ModelHealth model={offer} /> },
  numberColumn('success', t('Success'), successWords),
  {
    key: 'price',
    header: t('Price'),
    wrap: true,
    cell: ({ prices, type }) => <span className="svc-number">{priceWords({ prices, types: [type] })}</span>,
  },
  numberColumn('context', t('Context'), ({ context_length }) => tokenWords(context_length)),
  numberColumn('latency', 'p50', ({ p50_latency_ms }) => milliseconds(p50_latency_ms)),
  numberColumn('first', t('First token'), ({ p50_ttft_ms }) => milliseconds(p50_ttft_ms)),
  numberColumn('speed', t('Tokens/s'), ({ tokens_per_second }) =>
    tokens_per_second === null ? '–' : formatNumber(Math.round(tokens_per_second)),
  ),
];

/** All providers of a model, and their health in the last hour. */
export function Offers({ model }: { model: ModelDetail }) {
  const channelName = useChannelNames();
  return (
    <Stack component="section" gap="xs">
      <Title order={2}>{t('Providers of this model')}</Title>
      <DataTable
        label={t('Providers')}
        columns={columns(model.id, channelName)}
        rows={model.offers}
        rowKey={({ provider, model_id, channel_id, type }) => `${provider} ${model_id} ${channel_id} ${type}`}
        query={{ error: null, isFetching: false, refetch: () => {} }}
        minWidth={820}
        empty={{
          title: t('No provider serves this model directly'),
          description: t('It calls suitable models for each task.'),
        }}
      />
    </Stack>
  );
}
