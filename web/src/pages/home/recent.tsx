import { Badge, Group, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Result } from '../../api.ts';
import { CallsCost } from '../../components/calls-cost.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import { callsOf, endingOf, groupRequests, type Requests, tokensOf } from '../../requests.ts';
import { recentQuery } from './home-queries.ts';

function Asked({ row }: { row: Requests }) {
  const { model, provider } = row.calls[0]!;
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
  numberColumn('tokens', t('Tokens'), tokensOf),
  { key: 'cost', header: t('Cost'), align: 'right', cell: (row) => <CallsCost group={row} /> },
  { key: 'when', header: t('When'), align: 'right', cell: ({ calls: [log] }) => <TimeAgo at={log!.created_at} /> },
];

const shown = 5;

const othersOf = ({ logs, total }: Result<'/api/usage/logs', 'get'>) => ({ newer: false, older: total > logs.length });

/** The last few requests. */
export function Recent() {
  const query = useQuery(recentQuery);
  return (
    <Section title={t('Latest requests')}>
      <DataTable
        label={t('Latest requests')}
        columns={columns}
        rows={query.data && groupRequests(query.data.logs, othersOf(query.data)).slice(0, shown)}
        rowKey={({ key }) => key}
        query={query}
        minWidth={520}
        empty={{ icon: IconActivity, title: t('No requests yet'), description: t('New requests appear here.') }}
      />
    </Section>
  );
}
