import { Stack, Text } from '@mantine/core';
import { IconBox, IconEdit, IconKey, IconRefresh, IconTrash } from '@tabler/icons-react';
import { type Channel, switchedOn } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { EnabledBadge, toggleAct } from '../../components/enabled-state.tsx';
import { LongName } from '../../components/long-name.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { TestButton } from '../../components/test-button.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { TestState } from '../../use-connection-tests.ts';
import { keyWords, kinds } from './channel-fields.ts';

export interface ChannelActs {
  tried: Record<number, TestState>;
  test: (channel: Channel) => void;
  sync: (channel: Channel) => void;
  models: (channel: Channel) => void;
  credentials: (channel: Channel) => void;
  edit: (channel: Channel) => void;
  toggle: (channel: Channel) => void;
  remove: (channel: Channel) => void;
}

const isEnabled = ({ status }: Channel): boolean => status === switchedOn;
const kindLabel = (kind: string): string => kinds.find(({ value }) => value === kind)?.label ?? kind;

export const channelColumns = (acts: ChannelActs): Column<Channel>[] => [
  {
    key: 'name',
    header: t('Channel'),
    cell: ({ name, provider, kind }) => <NameCell name={name} under={`${provider} · ${kindLabel(kind)}`} />,
  },
  {
    key: 'status',
    header: t('Status'),
    cell: (channel) => <EnabledBadge on={isEnabled(channel)} />,
  },
  {
    key: 'address',
    header: t('Address'),
    cell: ({ base_url, has_credential, credential_hint }) => (
      <Stack gap={0}>
        <Text size="sm" maw={240} truncate title={base_url}>
          {base_url ? <LongName text={base_url} /> : t('in process')}
        </Text>
        <Text size="xs" c="dimmed">
          {has_credential ? keyWords(credential_hint) : t('No key')}
        </Text>
      </Stack>
    ),
  },
  numberColumn(
    'order',
    t('Priority, weight'),
    ({ priority, weight }) => `${formatNumber(priority)}, ${formatNumber(weight)}`,
  ),
  {
    key: 'test',
    header: t('Test'),
    width: 250,
    cell: (channel) => (
      <TestButton name={channel.name} tried={acts.tried[channel.id]} onTest={() => acts.test(channel)} />
    ),
  },
  menuColumn(
    ({ name }) => name,
    (channel) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => acts.edit(channel) },
      { label: t('Sync models'), icon: IconRefresh, onClick: () => acts.sync(channel) },
      { label: t('Credentials'), icon: IconKey, onClick: () => acts.credentials(channel) },
      { label: t('Models and prices'), icon: IconBox, onClick: () => acts.models(channel) },
      toggleAct(isEnabled(channel), () => acts.toggle(channel)),
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => acts.remove(channel) },
    ],
  ),
];
