import { Badge, Switch } from '@mantine/core';
import { IconEdit, IconMessageCircle, IconTrash } from '@tabler/icons-react';
import { type ProviderModel, typeName } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { LongName } from '../../components/long-name.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { formatCompact, formatUsd } from '../../format.ts';
import { t } from '../../language/words.ts';
import { unitOf } from '../../model-facts.ts';

interface ModelActs {
  channelName: (id: number) => string;
  edit: (model: ProviderModel) => void;
  toggle: (model: ProviderModel) => void;
  remove: (model: ProviderModel) => void;
  tryOut: (model: ProviderModel) => void;
}

const dollars = (price: number): string => (price === 0 ? '–' : formatUsd(price));

const tokens = (count: number): string => (count === 0 ? '–' : formatCompact(count));

export const modelColumns = (acts: ModelActs): Column<ProviderModel>[] => [
  {
    key: 'model',
    header: t('Model'),
    wrap: true,
    cell: ({ model_id, model_name }) => (
      <NameCell
        name={<LongName text={model_id} />}
        under={model_name !== model_id && t('upstream: {name}', { name: model_name })}
        title={model_name}
      />
    ),
  },
  {
    key: 'channel',
    header: t('Channel'),
    fluid: true,
    cell: ({ channel_id }) => <span title={acts.channelName(channel_id)}>{acts.channelName(channel_id)}</span>,
  },
  { key: 'type', header: t('Type'), cell: ({ type }) => <Badge color="gray">{typeName(type)}</Badge> },
  { key: 'prompt', header: t('Prompt / M'), align: 'right', cell: ({ prompt_price }) => dollars(prompt_price) },
  {
    key: 'completion',
    header: t('Completion / M'),
    align: 'right',
    cell: ({ completion_price }) => dollars(completion_price),
  },
  {
    key: 'request',
    header: t('Other'),
    align: 'right',
    cell: ({ request_price, type }) =>
      request_price === 0 ? '–' : t('{price} / {unit}', { price: dollars(request_price), unit: unitOf(type) }),
  },
  {
    key: 'context',
    header: t('Context'),
    align: 'right',
    cell: ({ context_length, max_output_tokens }) => (
      <span title={t('Maximum output: {count} tokens', { count: tokens(max_output_tokens) })}>
        {tokens(context_length)}
      </span>
    ),
  },
  {
    key: 'enabled',
    header: t('Enabled'),
    cell: (model) => (
      <Switch
        size="sm"
        checked={model.status === 1}
        aria-label={t('{name} enabled', { name: model.model_id })}
        onChange={() => acts.toggle(model)}
      />
    ),
  },
  menuColumn(
    ({ model_id }) => model_id,
    (model) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => acts.edit(model) },
      ...(model.type === 'chat'
        ? [{ label: t('Try it'), icon: IconMessageCircle, onClick: () => acts.tryOut(model) }]
        : []),
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => acts.remove(model) },
    ],
  ),
];
