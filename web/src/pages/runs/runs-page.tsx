import { Badge, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { oneOf } from '../../filter-values.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { durationWords, headline, isPaused, percentWords, reasonWords, runLook, runStatuses } from './run-words.ts';
import { pageSize, type RunSummary, runsQuery } from './runs-queries.ts';
import { StartRun } from './start-run.tsx';

const urlDefaults = { page: '1', status: '' };
const urlFits = { status: oneOf(runStatuses) };

const columns: Column<RunSummary>[] = [
  {
    key: 'goal',
    header: t('Goal'),
    wrap: true,
    cell: ({ goal, session_id }) => (
      <AnchorLink to="/runs/$id" params={{ id: session_id }} size="sm" fw={600}>
        {headline(goal)}
      </AnchorLink>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status, reason, current_task }) => {
      const { label, color } = runLook(status);
      const more = status === 'running' ? current_task : isPaused(status) ? reasonWords(reason) : null;
      return (
        <Stack gap={2} align="flex-start">
          <Badge color={color}>{label}</Badge>
          {more && (
            <Text size="xs" c="dimmed" maw="12rem" truncate title={more}>
              {more}
            </Text>
          )}
        </Stack>
      );
    },
  },
  {
    key: 'confidence',
    header: t('Confidence'),
    cell: ({ goal_confidence }) => (
      <Group gap="xs" wrap="nowrap">
        <Progress
          value={goal_confidence * 100}
          w={56}
          aria-label={t('Confidence {confidence}', { confidence: percentWords(goal_confidence) })}
        />
        <span className="svc-number">{percentWords(goal_confidence)}</span>
      </Group>
    ),
  },
  numberColumn(
    'tasks',
    t('Tasks'),
    ({ tasks_completed, tasks_total }) => `${formatNumber(tasks_completed)} / ${formatNumber(tasks_total)}`,
  ),
  { key: 'cost', header: t('Cost'), align: 'right', cell: ({ total_cost }) => <Money quota={total_cost} /> },
  numberColumn('time', t('Duration##taken'), ({ elapsed_time_secs }) => durationWords(elapsed_time_secs)),
  { key: 'started', header: t('Started'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

export function RunsPage() {
  const [{ status }, setUrl] = useUrlState(urlDefaults, urlFits);
  const [page, setPage] = usePage();
  const query = useQuery(runsQuery(page, status));
  const [starting, setStarting] = useState(false);
  const button = <AddButton onClick={() => setStarting(true)}>{t('Start a run')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Runs')}
        description={t(
          'Set a goal. The run plans tasks, works on them and checks the results until the goal is reached, even if you close this page.',
        )}
        actions={button}
      />
      <Group mb="md">
        <Select
          aria-label={t('Status')}
          placeholder={t('All runs')}
          data={runStatuses}
          value={status || null}
          onChange={(chosen) => setUrl({ status: chosen ?? '', page: '1' })}
          clearable
          clearButtonProps={{ 'aria-label': t('All runs') }}
          w={{ base: '100%', xs: 200 }}
        />
      </Group>
      <DataTable
        label={t('Runs')}
        columns={columns}
        rows={query.data?.executions}
        rowKey={({ execution_id }) => execution_id}
        // Do not dim the table on every poll.
        query={{ error: query.error, isFetching: query.isPlaceholderData, refetch: query.refetch }}
        minWidth={860}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={
          status
            ? { icon: IconRobot, title: t('No runs with this status') }
            : {
                icon: IconRobot,
                title: t('No runs yet'),
                description: t(
                  'A run plans tasks for your goal, assigns each to a suitable model, evaluates the results and continues until it is confident that the goal is reached. You can watch, cancel and resume it.',
                ),
                action: button,
              }
        }
      />
      {starting && <StartRun onClose={() => setStarting(false)} />}
    </>
  );
}
