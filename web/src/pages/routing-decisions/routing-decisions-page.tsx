import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconGitBranch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useChannelNames } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LongName } from '../../components/long-name.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ParentFilterNotice } from '../../components/parent-filter-notice.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { strategyName } from '../../components/strategy-choice.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { upTo } from '../../filter-values.ts';
import { formatMs } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useOpened, usePage, useUrlState } from '../../use-url-state.ts';
import { DecisionDetail } from './decision-detail.tsx';
import { type Decision, decisionPageSize, decisionsQuery } from './decisions-query.ts';
import { detailsColumn, whyColumn } from './shared-columns.tsx';
import { outcomeOf, selectedBy } from './words.ts';

const urlDefaults = { request: '', model: '', parent: '', page: '1' };
const urlFits = { request: upTo(200), model: upTo(200), parent: upTo(200) };

const columns = (show: (decision: Decision) => void): Column<Decision>[] => [
  { key: 'when', header: t('When'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    key: 'model',
    header: t('Model'),
    wrap: true,
    cell: ({ model_id, selected_provider }) => (
      <NameCell
        name={<LongName text={model_id} />}
        under={selectedBy(selected_provider)}
        title={selected_provider || undefined}
      />
    ),
  },
  {
    key: 'outcome',
    header: t('Outcome'),
    cell: ({ outcome, attempts }) => (
      <Group gap="xs" wrap="nowrap">
        <Badge color={outcomeOf(outcome).color}>{outcomeOf(outcome).label}</Badge>
        {attempts.length > 1 && (
          <Text size="xs" c="dimmed">
            {t('after {count} attempts', { count: attempts.length })}
          </Text>
        )}
      </Group>
    ),
  },
  whyColumn(),
  { key: 'strategy', header: t('Strategy'), cell: ({ routing_strategy }) => strategyName(routing_strategy) },
  numberColumn('duration', t('Duration##of a request'), ({ duration_ms }) => formatMs(duration_ms)),
  detailsColumn(show),
];

/** Loads the decision by its request id, so that the URL alone is enough to show it. */
function OpenDecision({ request, onClose }: { request: string; onClose: () => void }) {
  const query = useQuery(decisionsQuery({ request, model: '', parent: '' }, 1));
  const channelName = useChannelNames();
  const decisions = query.isPlaceholderData ? undefined : query.data?.decisions;
  return (
    <DetailDrawer
      opened
      onClose={onClose}
      size="xl"
      title={t('Routing decision')}
      closeButtonProps={{ 'aria-label': t('Close details') }}
    >
      {query.error && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {!decisions && !query.error && <Skeleton height={240} />}
      {decisions?.length === 0 && (
        <EmptyState
          icon={IconGitBranch}
          title={t('Decision not found')}
          description={t('It may have been cleaned up.')}
        />
      )}
      <Stack gap="xl">
        {decisions?.map((decision) => (
          <DecisionDetail key={decision.id} decision={decision} channelName={channelName} />
        ))}
      </Stack>
    </DetailDrawer>
  );
}

export function RoutingDecisionsPage() {
  const [{ request, model, parent }, set] = useUrlState(urlDefaults, urlFits);
  const [open, setOpen] = useOpened();
  const [page, setPage] = usePage();
  const query = useQuery(decisionsQuery({ request, model, parent }, page));
  const filtered = request !== '' || model !== '' || parent !== '';
  return (
    <>
      <PageHeader title={t('Routing decisions')} description={t('Where each request went, and why.')} />
      <Group gap="sm" mb="md">
        <SearchInput
          label={t('Request id')}
          placeholder={t('Request id, req_…')}
          value={request}
          onChange={(value) => set({ request: value, page: '1' })}
        />
        <SearchInput
          label={t('Model')}
          placeholder={t('Model, for example vendor/name')}
          value={model}
          onChange={(value) => set({ model: value, page: '1' })}
        />
        {parent !== '' && <ParentFilterNotice parent={parent} onAll={() => set({ parent: '', page: '1' })} />}
      </Group>
      <DataTable
        label={t('Routing decisions')}
        columns={columns(({ request_id }) => setOpen(request_id))}
        rows={query.data?.decisions}
        rowKey={({ id }) => id}
        query={query}
        minWidth={900}
        paging={{ page, pageSize: decisionPageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconGitBranch,
          title: filtered ? t('No decisions match these filters') : t('No decisions yet'),
          description: filtered ? undefined : t('Every routed request is recorded here.'),
        }}
      />
      {open !== '' && <OpenDecision request={open} onClose={() => setOpen('')} />}
    </>
  );
}
