import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconEdit, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatDateTime } from '../../format.ts';
import type { ApiKey } from './key-fields.ts';

interface KeyActs {
  edit: (key: ApiKey) => void;
  toggle: (key: ApiKey) => void;
  revoke: (key: ApiKey) => void;
}

const isEnabled = ({ status }: ApiKey): boolean => status === 1;

function stateOf(key: ApiKey): { label: string; color: string } {
  if (!isEnabled(key)) return { label: 'Disabled', color: 'gray' };
  if (key.expired_time > 0 && key.expired_time <= Date.now() / 1000) return { label: 'Expired', color: 'orange' };
  if (!key.unlimited_quota && key.remain_quota <= 0) return { label: 'Limit reached', color: 'orange' };
  return { label: 'Enabled', color: 'teal' };
}

function Limits({ models, allowed_ips, cache }: ApiKey) {
  const count = (items: string[], one: string, many: string) => `${items.length} ${items.length === 1 ? one : many}`;
  return (
    <Group gap={6}>
      {models.length > 0 && (
        <Badge size="sm" color="gray" title={models.join(', ')}>
          {count(models, 'model', 'models')}
        </Badge>
      )}
      {allowed_ips.length > 0 && (
        <Badge size="sm" color="gray" title={allowed_ips.join(', ')}>
          {count(allowed_ips, 'address', 'addresses')}
        </Badge>
      )}
      {cache && (
        <Badge size="sm" color="gray" title={`Answers are kept for ${cache.ttl_seconds} seconds`}>
          kept answers
        </Badge>
      )}
    </Group>
  );
}

export const keyColumns = ({ edit, toggle, revoke }: KeyActs): Column<ApiKey>[] => [
  {
    key: 'name',
    header: 'Name',
    cell: (key) => (
      <Stack gap={2}>
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" fw={600}>
            {key.name}
          </Text>
          <Limits {...key} />
        </Group>
        <Text size="xs" c="dimmed" ff="monospace">
          {key.key}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (key) => {
      const { label, color } = stateOf(key);
      return <Badge color={color}>{label}</Badge>;
    },
  },
  { key: 'used', header: 'Spent', align: 'right', cell: ({ used_quota }) => <Money quota={used_quota} /> },
  {
    key: 'left',
    header: 'May spend',
    align: 'right',
    cell: ({ unlimited_quota, remain_quota }) => (unlimited_quota ? 'No limit' : <Money quota={remain_quota} />),
  },
  {
    key: 'accessed',
    header: 'Last used',
    cell: ({ accessed_time }) => (accessed_time > 0 ? <TimeAgo at={accessed_time} /> : 'Never'),
  },
  {
    key: 'expires',
    header: 'Expires',
    cell: ({ expired_time }) => (expired_time > 0 ? formatDateTime(expired_time) : 'Never'),
  },
  {
    ...actsColumn(),
    cell: (key) => (
      <RowMenu
        label={key.name}
        acts={[
          { label: 'Edit', icon: IconEdit, onClick: () => edit(key) },
          isEnabled(key)
            ? { label: 'Disable', icon: IconPlayerPause, onClick: () => toggle(key) }
            : { label: 'Enable', icon: IconPlayerPlay, onClick: () => toggle(key) },
          { label: 'Revoke', icon: IconTrash, danger: true, onClick: () => revoke(key) },
        ]}
      />
    ),
  },
];
