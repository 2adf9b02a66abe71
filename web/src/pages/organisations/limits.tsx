import { Button, Text } from '@mantine/core';
import { IconEdit, IconGauge, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { may, type Organisation, reloadOrganisations } from '../../organisations.ts';
import { type LevelNames, placeName, placeText } from './levels.ts';
import { LimitForm } from './limit-form.tsx';
import { type Limits, limitsQuery } from './organisation-queries.ts';

type Open = { act: 'make' } | { act: 'edit' | 'delete'; limits: Limits };

const aMinute = (count: number): string => (count === 0 ? t('No limit') : formatNumber(count));
const listed = (names: string[]): string => (names.length === 0 ? t('All') : names.join(', '));

const columns = (known: LevelNames, open: ((open: Open) => void) | null): Column<Limits>[] => [
  {
    key: 'place',
    header: t('Applies to'),
    fluid: true,
    cell: (limits) => (
      <Text size="sm" fw={600} title={placeName(known, limits)}>
        <bdi>{placeName(known, limits)}</bdi>
      </Text>
    ),
  },
  {
    key: 'requests',
    header: t('Requests per minute'),
    align: 'right',
    cell: ({ requests_per_minute }) => aMinute(requests_per_minute),
  },
  {
    key: 'tokens',
    header: t('Tokens per minute'),
    align: 'right',
    cell: ({ tokens_per_minute }) => aMinute(tokens_per_minute),
  },
  { key: 'models', header: t('Models'), wrap: true, cell: ({ models }) => listed(models) },
  { key: 'providers', header: t('Providers'), wrap: true, cell: ({ providers }) => listed(providers) },
  ...(open
    ? [
        menuColumn(
          (limits: Limits) => t('the limits of {place}', { place: placeName(known, limits) }),
          (limits: Limits) => [
            { label: t('Change'), icon: IconEdit, onClick: () => open({ act: 'edit', limits }) },
            { label: t('Remove'), icon: IconTrash, danger: true, onClick: () => open({ act: 'delete', limits }) },
          ],
        ),
      ]
    : []),
];

/** Limits per level other than money. */
export function LevelLimits({ organisation, known }: { organisation: Organisation; known: LevelNames }) {
  const { id, role } = organisation;
  const query = useQuery(limitsQuery(id));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const manages = may(role, 'manage');
  const deleted = open?.act === 'delete' ? open.limits : null;
  return (
    <Section
      title={t('Limits##of a level')}
      description={t('Limits other than money. Every level must allow a request.')}
      actions={
        manages && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setOpen({ act: 'make' })}
          >
            {t('New limit')}
          </Button>
        )
      }
    >
      <DataTable
        label={t('Limits##of a level')}
        columns={columns(known, manages ? setOpen : null)}
        rows={query.data}
        rowKey={placeText}
        query={query}
        minWidth={760}
        empty={{
          icon: IconGauge,
          title: t('No limits##yet'),
          description: t('Requests and tokens per minute, and allowed models and providers.'),
        }}
      />
      {open?.act === 'make' && (
        <LimitForm organisation={organisation} known={known} taken={query.data ?? []} onClose={close} />
      )}
      {open?.act === 'edit' && (
        <LimitForm organisation={organisation} known={known} taken={[]} limits={open.limits} onClose={close} />
      )}
      <ConfirmDelete
        opened={deleted !== null}
        onClose={close}
        title={deleted ? t('Remove the limits of {place}?', { place: placeName(known, deleted) }) : t('Remove')}
        confirmLabel={t('Remove')}
        onConfirm={async () => {
          if (deleted) {
            const { level, level_id } = deleted;
            await del('/api/organisations/{id}/limits/{level}/{level_id}', { path: { id, level, level_id } });
          }
          notifySuccess(t('The limits have been removed'));
          await reloadOrganisations(id);
        }}
      >
        {t('Limits at other levels stay in place.')}
      </ConfirmDelete>
    </Section>
  );
}
