import { Stack, Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { typeName } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn } from '../../components/data-table.tsx';
import { AnchorLink, ButtonLink } from '../../components/link.tsx';
import { CapabilityMarks, ModelHealth } from '../../components/model-marks.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { t } from '../../language/words.ts';
import { type Providers, priceWords, tokenWords } from '../../model-facts.ts';
import { isChat, type OfferedModel } from '../../models.ts';

/** Link to the page where a model can be tried; nothing if there is none. */
export function TryLink({ model, size }: { model: OfferedModel; size?: string }) {
  const words = { 'aria-label': t('Try {id}', { id: model.id }), children: t('Try') };
  const look = { size, variant: 'default', leftSection: <IconMessageCircle size={15} stroke={1.7} aria-hidden /> };
  if (isChat(model)) return <ButtonLink to="/playground" search={{ model: model.id }} {...look} {...words} />;
  return model.types.includes('video') ? <ButtonLink to="/videos" {...look} {...words} /> : null;
}

export const modelColumns = (known: Providers): Column<OfferedModel>[] => [
  {
    key: 'model',
    header: t('Model'),
    wrap: true,
    cell: ({ id, name, types, members }) => (
      <Stack gap={0}>
        <AnchorLink to="/models/$" params={{ _splat: id }} size="sm" fw={600} lineClamp={3} className="svc-anywhere">
          <bdi>{id}</bdi>
        </AnchorLink>
        <Text size="xs" c="dimmed" className="svc-anywhere">
          {name !== id && <bdi>{name}</bdi>}
          {name !== id && ' · '}
          {members.length > 0 ? t('alias') : types.map(typeName).join(', ') || t('untyped')}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'price',
    header: t('Price / M tokens'),
    wrap: true,
    cell: (model) => <span className="svc-number">{priceWords(model)}</span>,
  },
  numberColumn('context', t('Context'), ({ context_length }) => tokenWords(context_length)),
  {
    key: 'can',
    header: t('Capabilities'),
    cell: ({ capabilities }) => (capabilities.length > 0 ? <CapabilityMarks of={capabilities} /> : '–'),
  },
  { key: 'health', header: t('Health'), cell: (model) => <ModelHealth model={model} known={known} /> },
  { ...actsColumn(t('Try')), cell: (model) => <TryLink model={model} size="compact-sm" /> },
];
