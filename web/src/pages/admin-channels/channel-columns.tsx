import { Badge, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconBox, IconEdit, IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash } from '@tabler/icons-react';
import { type Channel, switchedOn } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn } from '../../components/data-table.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { kinds } from './channel-fields.ts';

export interface Tried {
  state: 'running' | 'ok' | 'failed';
  latencyMs?: number;
  error?: string;
}

export interface ChannelActs {
  tried: Record<number, Tried>;
  test: (channel: Channel) => void;
  sync: (channel: Channel) => void;
  models: (channel: Channel) => void;
  edit: (channel: Channel) => void;
  toggle: (channel: Channel) => void;
  remove: (channel: Channel) => void;
}

const isEnabled = ({ status }: Channel): boolean => status === switchedOn;
const kindLabel = (kind: string): string => kinds.find(({ value }) => value === kind)?.label ?? kind;

function TestCell({ channel, tried, onTest }: { channel: Channel; tried?: Tried; onTest: () => void }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        loading={tried?.state === 'running'}
        aria-label={`Test ${channel.name}`}
        onClick={onTest}
      >
        Test
      </Button>
      {tried?.state === 'ok' && (
        <Badge color="teal" role="status" className="svc-number">
          {Math.round(tried.latencyMs ?? 0)} ms
        </Badge>
      )}
      {tried?.state === 'failed' && (
        <Tooltip label={tried.error} multiline maw={420}>
          <Text size="sm" c="var(--mantine-color-error)" role="status" maw={150} truncate>
            {tried.error}
          </Text>
        </Tooltip>
      )}
    </Group>
  );
}

export const channelColumns = (acts: ChannelActs): Column<Channel>[] => [
  {
    key: 'name',
    header: 'Channel',
    cell: ({ name, provider, kind }) => (
      <Stack gap={0}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {provider} · {kindLabel(kind)}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (channel) => (
      <Badge color={isEnabled(channel) ? 'teal' : 'gray'}>{isEnabled(channel) ? 'Enabled' : 'Disabled'}</Badge>
    ),
  },
  {
    key: 'address',
    header: 'Address',
    cell: ({ base_url, has_credential, credential_hint }) => (
      <Stack gap={0}>
        <Text size="sm" maw={240} truncate title={base_url}>
          {base_url || 'in process'}
        </Text>
        <Text size="xs" c="dimmed">
          {has_credential ? `Key ${credential_hint ?? 'stored'}` : 'No key'}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'order',
    header: 'Priority, weight',
    align: 'right',
    cell: ({ priority, weight }) => <span className="svc-number">{`${priority}, ${weight}`}</span>,
  },
  {
    key: 'test',
    header: 'Test',
    width: 250,
    cell: (channel) => <TestCell channel={channel} tried={acts.tried[channel.id]} onTest={() => acts.test(channel)} />,
  },
  {
    ...actsColumn(),
    cell: (channel) => (
      <RowMenu
        label={channel.name}
        acts={[
          { label: 'Edit', icon: IconEdit, onClick: () => acts.edit(channel) },
          { label: 'Sync models', icon: IconRefresh, onClick: () => acts.sync(channel) },
          { label: 'Models and prices', icon: IconBox, onClick: () => acts.models(channel) },
          isEnabled(channel)
            ? { label: 'Disable', icon: IconPlayerPause, onClick: () => acts.toggle(channel) }
            : { label: 'Enable', icon: IconPlayerPlay, onClick: () => acts.toggle(channel) },
          { label: 'Delete', icon: IconTrash, danger: true, onClick: () => acts.remove(channel) },
        ]}
      />
    ),
  },
];
