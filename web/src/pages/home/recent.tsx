import { Badge, Group, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber } from '../../format.ts';

type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];

const columns: Column<UsageLog>[] = [
  {
    key: 'model',
    header: 'Model',
    cell: ({ model, provider, status }) => (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm">{model}</Text>
        <Text size="xs" c="dimmed">
          {provider}
        </Text>
        {status !== 'ok' && (
          <Badge size="sm" color="orange">
            {status}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    key: 'tokens',
    header: 'Tokens',
    align: 'right',
    cell: ({ prompt_tokens, completion_tokens }) => (
      <span className="svc-number">{`${formatNumber(prompt_tokens)} → ${formatNumber(completion_tokens)}`}</span>
    ),
  },
  { key: 'cost', header: 'Cost', align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  { key: 'when', header: 'When', align: 'right', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

/** The last few requests. */
export function Recent() {
  const query = useQuery({
    queryKey: ['usage', 'recent'],
    queryFn: ({ signal }) => get('/api/usage/logs', { query: { page: 1, page_size: 5 }, signal }),
  });
  return (
    <Section title="Latest requests">
      <DataTable
        label="Latest requests"
        columns={columns}
        rows={query.data?.logs}
        rowKey={({ id }) => id}
        query={query}
        minWidth={520}
        empty={<EmptyState icon={IconActivity} title="No requests yet" description="They show here as they come in." />}
      />
    </Section>
  );
}
