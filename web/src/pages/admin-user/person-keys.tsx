import { Code, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EnabledBadge } from '../../components/enabled-state.tsx';
import { Money } from '../../components/money.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import type { PartProps } from './part-props.ts';

type Key = Result<'/api/admin/users/{id}/keys', 'get'>[number];

const columns: Column<Key>[] = [
  {
    key: 'name',
    header: t('Name'),
    fluid: true,
    cell: ({ name }) => (
      <Text size="sm" fw={600} title={name} dir="auto">
        {name}
      </Text>
    ),
  },
  { key: 'key', header: t('Key'), cell: ({ key }) => <Code>{key}</Code> },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status }) => <EnabledBadge on={status === 1} />,
  },
  { key: 'used', header: t('Spent'), align: 'right', cell: ({ used_quota }) => <Money quota={used_quota} /> },
  {
    key: 'left',
    header: t('Left'),
    align: 'right',
    cell: ({ unlimited_quota, remain_quota }) => (unlimited_quota ? t('No limit') : <Money quota={remain_quota} />),
  },
  { key: 'made', header: t('Created'), cell: ({ created_time }) => <TimeAgo at={created_time} /> },
  {
    key: 'last',
    header: t('Last used'),
    cell: ({ accessed_time, created_time }) =>
      accessed_time > created_time ? <TimeAgo at={accessed_time} /> : t('Never##used'),
  },
];

export function PersonKeys({ person: { user } }: PartProps) {
  const query = useQuery({
    queryKey: ['admin-users', 'keys', user.id],
    queryFn: ({ signal }) => get('/api/admin/users/{id}/keys', { path: { id: user.id }, signal }),
  });
  return (
    <DataTable
      label={t('API keys')}
      columns={columns}
      rows={query.data}
      rowKey={({ id }) => id}
      query={query}
      minWidth={760}
      empty={{ icon: IconKey, title: t('No keys'), description: t('This user has not created any keys.') }}
    />
  );
}
