import { Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconEdit, IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { ModelPicker } from '../../components/model-picker.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { strategyName } from '../../components/strategy-choice.tsx';
import { t } from '../../language/words.ts';
import { orchestrationModel } from '../../models.ts';
import { queryClient } from '../../session.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { ConfigForm, type RoutingConfig } from './config-form.tsx';

const pageSize = 20;
const urlDefaults = { model: '', page: '1' };

const columns = (edit: (model: string) => void, reset: (config: RoutingConfig) => void): Column<RoutingConfig>[] => [
  {
    key: 'model',
    header: t('Model'),
    cell: ({ canonical_model_id }) => (
      <Text size="sm" fw={600}>
        {canonical_model_id}
      </Text>
    ),
  },
  {
    key: 'strategy',
    header: t('Strategy'),
    cell: ({ default_strategy }) => (default_strategy ? strategyName(default_strategy) : t('Balanced (default)')),
  },
  { key: 'success', header: t('Success'), align: 'right', cell: ({ success_rate_weight }) => success_rate_weight },
  { key: 'latency', header: t('Latency'), align: 'right', cell: ({ latency_weight }) => latency_weight },
  { key: 'price', header: t('Price'), align: 'right', cell: ({ price_weight }) => price_weight },
  {
    key: 'priority',
    header: t('Priority'),
    align: 'right',
    cell: ({ provider_priority_weight }) => provider_priority_weight,
  },
  menuColumn(
    ({ canonical_model_id }) => canonical_model_id,
    (config) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => edit(config.canonical_model_id) },
      { label: t('Reset to default'), icon: IconArrowBackUp, danger: true, onClick: () => reset(config) },
    ],
  ),
];

function OpenConfig({ model, onClose }: { model: string; onClose: () => void }) {
  const query = useQuery({
    queryKey: ['routing-configs', 'one', model],
    queryFn: ({ signal }) => get('/api/routing/configs/{model_id}', { path: { model_id: model }, signal }),
    gcTime: 0,
  });
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        title={t('{model} cannot be configured', { model })}
        onRetry={() => query.refetch()}
      />
    );
  return query.data ? <ConfigForm saved={query.data} onClose={onClose} /> : null;
}

/** Routing configurations of the models that do not use the default. */
export function AdminRoutingPage() {
  const [{ model }, set] = useUrlState(urlDefaults);
  const [page, setPage] = usePage();
  const [reset, setReset] = useState<RoutingConfig | null>(null);
  const query = useQuery({
    queryKey: ['routing-configs', page],
    queryFn: ({ signal }) => get('/api/routing/configs', { query: { page, page_size: pageSize }, signal }),
    placeholderData: (before) => before,
  });
  const chooser = (
    <ModelPicker
      aria-label={t('Configure a model')}
      placeholder={t('Configure a model…')}
      fits={({ id }) => id !== orchestrationModel}
      w={{ base: '100%', xs: 280 }}
      value=""
      onChange={(chosen) => set({ model: chosen })}
    />
  );
  return (
    <>
      <PageHeader
        title={t('Routing configuration')}
        description={t('Each model can have its own strategy and weights; all other models use the balanced defaults.')}
        actions={chooser}
      />
      <DataTable
        label={t('Configured models')}
        columns={columns((id) => set({ model: id }), setReset)}
        rows={query.data?.configs}
        rowKey={({ canonical_model_id }) => canonical_model_id}
        query={query}
        minWidth={720}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconRoute,
          title: t('Every model uses the defaults'),
          description: t(
            'Balanced: success 0.4, latency 0.3, price 0.2, priority 0.1. Choose a model above to change that.',
          ),
        }}
      />
      {model !== '' && (
        <Group mt="md">
          <OpenConfig key={model} model={model} onClose={() => set({ model: '' })} />
        </Group>
      )}
      <ConfirmDelete
        opened={reset !== null}
        onClose={() => setReset(null)}
        title={t('Reset routing of {model} to default?', { model: reset?.canonical_model_id ?? '' })}
        confirmLabel={t('Reset to default')}
        onConfirm={async () => {
          if (!reset) return;
          await del('/api/routing/configs/{model_id}', { path: { model_id: reset.canonical_model_id } });
          notifySuccess(t('Reset to default'));
          await queryClient.invalidateQueries({ queryKey: ['routing-configs'] });
        }}
      >
        {t('Its strategy and weights are deleted.')}
      </ConfirmDelete>
    </>
  );
}
