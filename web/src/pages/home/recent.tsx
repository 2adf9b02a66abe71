import { Badge, Group, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { callsOf, endingOf, groupRequests, type Requests, sumOf } from '../../requests.ts';
import { recentQuery } from './home-queries.ts';

function Asked({ row }: { row: Requests }) {
  const { model, provider } = row.logs[0]!;
  const { label, ok } = endingOf(row);
  return (
    <Group gap="xs" wrap="nowrap">
      {row.parent === null ? (
        <>
          <Text size="sm">{model}</Text>
          <Text size="xs" c="dimmed">
            {provider}
          </Text>
        </>
      ) : (
        <AnchorLink to="/usage" search={{ parent: row.parent }} size="sm">
          {callsOf(row)}
        </AnchorLink>
      )}
      {!ok && (
        <Badge size="sm" color="orange">
          {label}
        </Badge>
      )}
    </Group>
  );
}

const columns: Column<Requests>[] = [
  { key: 'model', header: t('Model'), cell: (row) => <Asked row={row} /> },
  numberColumn(
    'tokens',
    t('Tokens'),
    (row) => `${formatNumber(sumOf(row, 'prompt_tokens'))} → ${formatNumber(sumOf(row, 'completion_tokens'))}`,
  ),
  { key: 'cost', header: t('Cost'), align: 'right', cell: (row) => <Money quota={sumOf(row, 'quota')} /> },
  { key: 'when', header: t('When'), align: 'right', cell: ({ logs: [log] }) => <TimeAgo at={log!.created_at} /> },
];

const shown = 5;

/** The last few requests. */
export function Recent() {
  const query = useQuery(recentQuery);
  return (
    <Section title={t('Latest requests')}>
      <DataTable
        label={t('Latest requests')}
        columns={columns}
        rows={query.data && groupRequests(query.data.logs).slice(0, shown)}
        rowKey={({ key }) => key}
        query={query}
        minWidth={520}
        empty={{ icon: IconActivity, title: t('No requests yet'), description: t('New requests appear here.') }}
      />
    </Section>
  );
}
