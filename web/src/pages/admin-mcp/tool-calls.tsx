import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { addDays, dayOf, startOf } from '../../dates.ts';
import { formatNumber } from '../../format.ts';

type Calls = Result<'/api/admin/usage/tools', 'get'>['items'][number];

const periods = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7d' },
  { value: '30', label: '30d' },
  { value: '90', label: '90d' },
];

/** A day's beginning, not the moment, so that the question stays the same while the page is open. */
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
  return sample < calls ? `${formatNumber(errors)} of the last ${formatNumber(sample)}` : formatNumber(errors);
};

const columns: Column<Calls>[] = [
  { key: 'server', header: 'Server', cell: ({ server }) => server },
  {
    key: 'tool',
    header: 'Tool',
    cell: ({ tool }) => (
      <Text size="sm" ff="monospace" maw={280} truncate title={tool}>
        {tool}
      </Text>
    ),
  },
  { key: 'user', header: 'User', cell: ({ username, user_id }) => username ?? `Deleted user ${user_id}` },
  {
    key: 'calls',
    header: 'Calls',
    align: 'right',
    cell: ({ calls }) => <span className="svc-number">{formatNumber(calls)}</span>,
  },
  {
    key: 'errors',
    header: 'Errors',
    align: 'right',
    cell: (row) => <span className="svc-number">{errorsOf(row)}</span>,
  },
  {
    key: 'time',
    header: 'Average time',
    align: 'right',
    cell: ({ average_ms }) => (
      <span className="svc-number">{average_ms === null ? '–' : `${formatNumber(average_ms)} ms`}</span>
    ),
  },
  { key: 'last', header: 'Last call', cell: ({ last_at }) => (last_at === null ? '–' : <TimeAgo at={last_at} />) },
];

/** Who uses what, from the usage log, where every call of a tool over MCP stands. */
export function ToolCalls() {
  const [days, setDays] = useState('30');
  const query = useQuery(callsQuery(Number(days)));
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>Who uses what</Title>
        <SegmentedControl
          aria-label="Period of calls"
          data={periods}
          value={days}
          onChange={setDays}
          // Names in between two colours are read by nobody.
          transitionDuration={0}
        />
      </Group>
      <DataTable
        label="Calls of tools"
        columns={columns}
        rows={query.data?.items}
        rowKey={({ server, tool, user_id }) => `${user_id} ${server} ${tool}`}
        query={query}
        minWidth={760}
        empty={
          <EmptyState
            icon={IconChartBar}
            title="No calls in these days"
            description="Calls that agents make over MCP, and those made by hand, are counted here."
          />
        }
      />
      {query.data?.cut && (
        <Text size="sm" c="dimmed" mt="xs">
          Only the most called are shown. The usage log has all of them.
        </Text>
      )}
    </section>
  );
}
