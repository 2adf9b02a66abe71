import { Stack, Text } from '@mantine/core';
import { IconEdit, IconPigMoney, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { Money } from '../../components/money.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { locale, rich, t } from '../../language/words.ts';
import { may, type Organisation, reloadOrganisations } from '../../organisations.ts';
import { BudgetState } from './budget-bar.tsx';
import { timeIn, windowWords } from './budget-fields.ts';
import { BudgetForm } from './budget-form.tsx';
import { type LevelNames, placeName } from './levels.ts';
import { LevelLimits } from './limits.tsx';
import { type Budget, budgetsQuery } from './organisation-queries.ts';
import { useLevelNames } from './use-level-names.ts';

type Open = { act: 'make' } | { act: 'edit' | 'delete'; budget: Budget };

const percents = (shares: number[]): string =>
  new Intl.ListFormat(locale).format(shares.map((share) => String(Math.round(share * 1000) / 10)));

const columns = (zone: string, known: LevelNames, open: ((open: Open) => void) | null): Column<Budget>[] => [
  {
    key: 'place',
    header: t('Applies to'),
    wrap: true,
    cell: (budget) => (
      <Text size="sm" fw={600}>
        <bdi>{placeName(known, budget)}</bdi>
      </Text>
    ),
  },
  {
    key: 'amount',
    header: t('Amount'),
    align: 'right',
    cell: ({ amount, window, resets_at }) => (
      <>
        {rich('{amount} {window}', { amount: <Money quota={amount} />, window: windowWords[window] })}
        <Text size="xs" c="dimmed">
          {resets_at === null ? t('does not reset') : t('resets {time}', { time: timeIn(zone, resets_at) })}
        </Text>
      </>
    ),
  },
  { key: 'used', header: t('Used'), align: 'right', cell: ({ used }) => <Money quota={used} /> },
  { key: 'left', header: t('Left'), align: 'right', cell: ({ remaining }) => <Money quota={remaining} /> },
  {
    key: 'kind',
    header: t('Kind'),
    cell: (budget) => (
      <>
        <BudgetState budget={budget} />
        <Text size="xs" c="dimmed">
          {budget.alerts.length === 0
            ? t('no warnings')
            : t('warns at {shares}\u00a0%', { shares: percents(budget.alerts) })}
        </Text>
      </>
    ),
  },
  ...(open
    ? [
        menuColumn(
          (budget: Budget) =>
            t('the budget of {place} {window}', {
              place: placeName(known, budget),
              window: windowWords[budget.window],
            }),
          (budget: Budget) => [
            { label: t('Change'), icon: IconEdit, onClick: () => open({ act: 'edit', budget }) },
            { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => open({ act: 'delete', budget }) },
          ],
        ),
      ]
    : []),
];

export function Budgets({ organisation }: { organisation: Organisation }) {
  const { id, role, time_zone } = organisation;
  const query = useQuery(budgetsQuery(id));
  const known = useLevelNames(organisation);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const manages = may(role, 'manage');
  const button = manages && <AddButton onClick={() => setOpen({ act: 'make' })}>{t('New budget')}</AddButton>;
  const deleted = open?.act === 'delete' ? open.budget : null;
  return (
    <Stack gap="lg">
      <Section
        title={t('Budgets')}
        description={t(
          'The budgets of its key, member, team and organisation all apply to a request. Days, weeks and months start in the {timeZone} time zone.',
          { timeZone: time_zone },
        )}
        actions={button}
      >
        <DataTable
          label={t('Budgets')}
          columns={columns(time_zone, known, manages ? setOpen : null)}
          rows={query.data}
          rowKey={(budget) => budget.id}
          query={query}
          minWidth={760}
          empty={{
            icon: IconPigMoney,
            title: t('No budgets'),
            description: t(
              'Maximum spend per day, week, month or in total for the organisation, a team, a member or a key.',
            ),
          }}
        />
      </Section>
      <LevelLimits organisation={organisation} known={known} />
      {open?.act === 'make' && <BudgetForm organisation={organisation} known={known} onClose={close} />}
      {open?.act === 'edit' && (
        <BudgetForm organisation={organisation} known={known} budget={open.budget} onClose={close} />
      )}
      <ConfirmDelete
        opened={deleted !== null}
        onClose={close}
        title={deleted ? t('Delete the budget of {place}?', { place: placeName(known, deleted) }) : t('Delete')}
        confirmLabel={t('Delete budget')}
        onConfirm={async () => {
          if (deleted)
            await del('/api/organisations/{id}/budgets/{budget_id}', { path: { id, budget_id: deleted.id } });
          notifySuccess(t('Budget deleted'));
          await reloadOrganisations(id);
        }}
      >
        {t('Its recorded usage is deleted too. A new budget starts from zero.')}
      </ConfirmDelete>
    </Stack>
  );
}
