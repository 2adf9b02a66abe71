import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { addDays, dayOf, startOf } from '../../dates.ts';
import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';

type Calls = Result<'/api/admin/usage/tools', 'get'>['items'][number];

const periods = [
  { value: '1', label: t('Today') },
  { value: '7', label: t('7d') },
  { value: '30', label: t('30d') },
  { value: '90', label: t('90d') },
];

/**
 * Starts at the beginning of a day rather than at the current time, so that the query stays the same while the page is
 * open.
 */
const callsQuery = (days: number) =>
  queryOptions({
    queryKey: ['tool-calls', days],
    queryFn: ({ signal }) => {
      const from = startOf(addDays(dayOf(Date.now()), 1 - days));
      return get('/api/admin/usage/tools', { query: { from }, signal });
    },
    placeholderData: keepPreviousData,
  });

const errorsOf = ({ errors, sample, calls }: Calls): string => {
  if (sample === 0) return '–';
  return sample < calls
    ? t('{errors} of the last {sample}', { errors: formatNumber(errors), sample: formatNumber(sample) })
    : formatNumber(errors);
};

const columns: Column<Calls>[] = [
  { key: 'server', header: t('Server'), cell: ({ server }) => server },
  {
    key: 'tool',
    header: t('Tool'),
    cell: ({ tool }) => (
      <Text size="sm" ff="monospace" maw={280} truncate title={tool}>
        {tool}
      </Text>
    ),
  },
  {
    key: 'user',
    header: t('User'),
    cell: ({ account_name, user_id }) => account_name ?? t('Deleted user {id}', { id: user_id }),
  },
  numberColumn('calls', t('Calls'), ({ calls }) => formatNumber(calls)),
  numberColumn('errors', t('Errors'), (row) => errorsOf(row)),
  numberColumn('time', t('Average time'), ({ average_ms }) => (average_ms === null ? '–' : formatMs(average_ms))),
  { key: 'last', header: t('Last call'), cell: ({ last_at }) => (last_at === null ? '–' : <TimeAgo at={last_at} />) },
];

/** Tool usage per user, from the usage log, which contains every tool call over MCP. */
export function ToolCalls() {
  const [days, setDays] = useState('30');
  const query = useQuery(callsQuery(Number(days)));
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('Tool usage')}</Title>
        <SegmentedControl
          aria-label={t('Call period')}
          data={periods}
          value={days}
          onChange={setDays}
          // No transition: labels are unreadable while fading between two colours.
          transitionDuration={0}
        />
      </Group>
      <DataTable
        label={t('Tool calls')}
        columns={columns}
        rows={query.data?.items}
        rowKey={({ server, tool, user_id }) => `${user_id} ${server} ${tool}`}
        query={query}
        minWidth={760}
        empty={{
          icon: IconChartBar,
          title: t('No calls in this period'),
          description: t('Calls by agents over MCP and manual calls are counted here.'),
        }}
      />
      {query.data?.cut && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('Only the most-called tools are shown. See the usage log for all calls.')}
        </Text>
      )}
    </section>
  );
}
