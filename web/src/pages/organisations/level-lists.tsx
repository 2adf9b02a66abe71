import { Badge, Stack } from '@mantine/core';
import { IconChartBar, IconGitBranch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChannelNames } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { SideDialog } from '../../components/dialog.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import { singleRequests } from '../../requests.ts';
import { useOpened } from '../../use-url-state.ts';
import { DecisionDetail } from '../routing-decisions/decision-detail.tsx';
import type { Decision } from '../routing-decisions/decisions-query.ts';
import { detailsColumn, whyColumn } from '../routing-decisions/shared-columns.tsx';
import { outcomeOf, selectedBy } from '../routing-decisions/words.ts';
import { usageColumns } from '../usage/usage-columns.tsx';
import { UsageDetail } from '../usage/usage-detail.tsx';
import type { LevelNames } from './levels.ts';
import { decisionsQuery, type LevelFilter, requestsQuery } from './organisation-queries.ts';

interface ListProps {
  id: number;
  filter: LevelFilter;
}

/** Answered requests at this level, whichever key they used. */
export function LevelRequests({ id, filter, keys }: ListProps & { keys: LevelNames['keys'] }) {
  const query = useInfiniteQuery(requestsQuery(id, filter));
  const [open, setOpen] = useOpened();
  const logs = query.data?.pages.flatMap((page) => page.logs);
  const names = new Map(keys.map((key) => [key.id, key.name]));
  return (
    <Stack gap="sm">
      <DataTable
        label={t('Requests')}
        columns={usageColumns(names, (log) => setOpen(String(log.id)))}
        rows={logs && singleRequests(logs)}
        rowKey={({ key }) => key}
        query={query}
        grows
        minWidth={920}
        empty={{ icon: IconChartBar, title: t('No requests'), description: t('Choose other dates or another level.') }}
      />
      <ShowMore query={query} size="sm" mx="auto" />
      <UsageDetail log={logs?.find((log) => String(log.id) === open) ?? null} onClose={() => setOpen('')} />
    </Stack>
  );
}

const decisionColumns = (show: (decision: Decision) => void): Column<Decision>[] => [
  { key: 'when', header: t('When'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    key: 'model',
    header: t('Model'),
    cell: ({ model_id, selected_provider }) => <NameCell name={model_id} under={selectedBy(selected_provider)} />,
  },
  {
    key: 'outcome',
    header: t('Outcome'),
    cell: ({ outcome }) => <Badge color={outcomeOf(outcome).color}>{outcomeOf(outcome).label}</Badge>,
  },
  whyColumn(),
  detailsColumn(show),
];

/** Which provider each request was routed to, and why. */
export function LevelDecisions({ id, filter }: ListProps) {
  const query = useInfiniteQuery(decisionsQuery(id, filter));
  const [open, setOpen] = useState<Decision | null>(null);
  const channelName = useChannelNames();
  return (
    <Stack gap="sm">
      <DataTable
        label={t('Routing decisions')}
        columns={decisionColumns(setOpen)}
        rows={query.data?.pages.flatMap((page) => page.decisions)}
        rowKey={(decision) => decision.id}
        query={query}
        grows
        minWidth={720}
        empty={{
          icon: IconGitBranch,
          title: t('No routing decisions'),
          description: t('Choose other dates or another level.'),
        }}
      />
      <ShowMore query={query} size="sm" mx="auto" />
      <SideDialog opened={open !== null} onClose={() => setOpen(null)} size="xl" title={t('Routing decision')}>
        {open && <DecisionDetail decision={open} channelName={channelName} />}
      </SideDialog>
    </Stack>
  );
}
