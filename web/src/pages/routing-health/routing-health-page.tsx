import { Group, Select, SimpleGrid, Text } from '@mantine/core';
import { IconActivityHeartbeat } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { healthPageSize, type Metrics, metricsQuery, useChannelNames } from '../../catalog.ts';
import { DataTable } from '../../components/data-table.tsx';
import { ModelPicker } from '../../components/model-picker.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatNumber, formatPercent, formatTime } from '../../format.ts';
import { t } from '../../language/words.ts';
import { modelsQuery, providersOf } from '../../models.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { healthColumns } from './health-columns.tsx';

const urlDefaults = { model: '', provider: '', page: '1' };

function Summary({ rows }: { rows: Metrics[] | undefined }) {
  const count = (state: Metrics['circuit_state']) => rows?.filter((row) => row.circuit_state === state).length ?? 0;
  const requests = rows?.reduce((sum, row) => sum + row.requests_last_hour, 0) ?? 0;
  const good = rows?.reduce((sum, row) => sum + row.requests_last_hour * row.success_rate_last_hour, 0) ?? 0;
  const loading = rows === undefined;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
      <StatCard
        label={t('Open circuits')}
        value={count('open')}
        hint={t('Not called until they recover')}
        loading={loading}
      />
      <StatCard
        label={t('Being probed')}
        value={count('half_open')}
        hint={t('Tested with a few requests')}
        loading={loading}
      />
      <StatCard
        label={t('Requests, last hour')}
        value={formatNumber(requests)}
        hint={t('Successes and failures')}
        loading={loading}
      />
      <StatCard
        label={t('Success, last hour')}
        value={requests === 0 ? '–' : formatPercent(((good / requests) * 100).toFixed(1))}
        hint={requests === 0 ? t('No data yet') : t('Of these requests')}
        loading={loading}
      />
    </SimpleGrid>
  );
}

/** The current health of all providers, problems first. */
export function RoutingHealthPage() {
  const [{ page: _, ...filter }, set] = useUrlState(urlDefaults);
  const [page, setPage] = usePage();
  const query = useQuery(metricsQuery(filter, page));
  const models = useQuery(modelsQuery).data ?? [];
  const channelName = useChannelNames();
  const rows = query.data?.metrics;
  const updated = query.dataUpdatedAt ? formatTime(query.dataUpdatedAt / 1000) : '';
  return (
    <>
      <PageHeader
        title={t('Provider health')}
        description={t(
          'Success and latency of the last hour, per provider, model and channel. Refreshes every 5 seconds.',
        )}
      />
      {(rows || !query.error) && <Summary rows={rows} />}
      <Group gap="sm" mb="md" justify="space-between">
        <Group gap="sm" w={{ base: '100%', xs: 'auto' }}>
          <ModelPicker
            aria-label={t('Model')}
            placeholder={t('All models')}
            w={{ base: '100%', xs: 220 }}
            clearable
            value={filter.model}
            onChange={(model) => set({ model, page: '1' })}
          />
          <Select
            aria-label={t('Provider')}
            placeholder={t('All providers')}
            w={{ base: '100%', xs: 220 }}
            data={providersOf(models).map(({ name }) => name)}
            searchable
            clearable
            value={filter.provider || null}
            onChange={(provider) => set({ provider: provider ?? '', page: '1' })}
          />
        </Group>
        <Text size="xs" c="dimmed" className="svc-number">
          {query.error
            ? t('Not refreshed: the last attempt failed')
            : updated && t('Updated {time}', { time: updated })}
        </Text>
      </Group>
      <DataTable
        label={t('Provider health')}
        columns={healthColumns(channelName)}
        rows={rows}
        rowKey={({ provider, model_id, channel_id }) => `${provider} ${model_id} ${channel_id}`}
        // Do not dim the table on every background refresh (every five seconds).
        query={{ error: query.error, isFetching: query.isPlaceholderData, refetch: query.refetch }}
        minWidth={900}
        paging={{ page, pageSize: healthPageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconActivityHeartbeat,
          title: t('Nothing to show'),
          description: t('No provider serves a matching model.'),
        }}
      />
    </>
  );
}
