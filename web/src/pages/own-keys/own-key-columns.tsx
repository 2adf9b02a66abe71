import { Badge, Stack, Text } from '@mantine/core';
import { IconEdit, IconTrash } from '@tabler/icons-react';
import { switchedOn } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { EnabledBadge, toggleAct } from '../../components/enabled-state.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { TestButton } from '../../components/test-button.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { TestState } from '../../use-connection-tests.ts';
import type { OwnKey } from './own-keys-api.ts';

interface OwnKeyActs {
  tried: Record<number, TestState>;
  /** The models that the provider serves here; undefined while loading. */
  served: (provider: string) => string[] | undefined;
  test: (key: OwnKey) => void;
  edit: (key: OwnKey) => void;
  toggle: (key: OwnKey) => void;
  remove: (key: OwnKey) => void;
}

export const ownKeyColumns = ({ tried, served, test, edit, toggle, remove }: OwnKeyActs): Column<OwnKey>[] => [
  {
    key: 'name',
    header: t('Key'),
    fluid: true,
    cell: ({ name, credential_hint }) => (
      <Stack gap={0}>
        <Text size="sm" fw={600} title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {credential_hint ?? t('stored')}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'provider',
    header: t('Provider'),
    fluid: true,
    cell: ({ provider, fallback }) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm" maw="100%" title={provider}>
          {provider}
        </Text>
        {fallback && <Badge color="gray">{t('fallback allowed')}</Badge>}
      </Stack>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status }) => <EnabledBadge on={status === switchedOn} />,
  },
  {
    key: 'models',
    header: t('Models'),
    align: 'right',
    cell: ({ provider }) => {
      const models = served(provider);
      return models ? <span className="svc-number">{formatNumber(models.length)}</span> : '…';
    },
  },
  { key: 'added', header: t('Added'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    key: 'test',
    header: t('Test'),
    wrap: true,
    width: 220,
    cell: (key) => <TestButton name={key.name} tried={tried[key.id]} onTest={() => test(key)} whole />,
  },
  menuColumn(
    ({ name }) => name,
    (key) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => edit(key) },
      toggleAct(key.status === switchedOn, () => toggle(key)),
      { label: t('Remove'), icon: IconTrash, danger: true, onClick: () => remove(key) },
    ],
  ),
];
