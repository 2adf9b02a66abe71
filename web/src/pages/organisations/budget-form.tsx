import { Select, SimpleGrid, Switch, TagsInput } from '@mantine/core';
import { put } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { type Organisation, reloadOrganisations } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { alertsIn, bodyOf, changeOf, emptyBudget, faultsOf, fieldsOf, windowChoices } from './budget-fields.ts';
import { type LevelNames, placeChoices, placeName } from './levels.ts';
import type { Budget } from './organisation-queries.ts';

interface BudgetFormProps {
  organisation: Organisation;
  known: LevelNames;
  /** Absent when a new budget is created. */
  budget?: Budget;
  onClose: () => void;
}

/** Mounted only while the dialog is open. */
export function BudgetForm({ organisation: { id, time_zone }, known, budget, onClose }: BudgetFormProps) {
  const post = usePost();
  const initial = budget ? fieldsOf(budget) : emptyBudget({ level: 'organisation', level_id: id });
  const { fields, faults, set, sending } = useCheckedForm(initial, faultsOf, async (given) => {
    if (budget)
      await put('/api/organisations/{id}/budgets/{budget_id}', {
        path: { id, budget_id: budget.id },
        body: changedFields(changeOf(fieldsOf(budget)), changeOf(given)),
      });
    else await post('/api/organisations/{id}/budgets', { path: { id }, body: bodyOf(given) });
    notifySuccess(budget ? t('Budget saved') : t('Budget set'));
    onClose();
    await reloadOrganisations(id);
  });
  const fixed = budget !== undefined;
  const choices = fixed ? [{ value: fields.place, label: placeName(known, budget) }] : placeChoices(known);
  return (
    <FormDialog
      onClose={onClose}
      title={budget ? t('Change budget') : t('New budget')}
      {...sending}
      failure={t('The budget was not saved')}
      submitLabel={t('Save')}
    >
      <Select
        label={t('Applies to')}
        data={choices}
        searchable={!fixed}
        allowDeselect={false}
        disabled={fixed}
        value={fields.place}
        onChange={(place) => set({ place: place ?? '' })}
        error={faults.place}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DollarInput
          label={t('Maximum spend')}
          description={t('In dollars')}
          required
          data-autofocus
          value={fields.usd}
          onChange={(usd) => set({ usd })}
          error={faults.usd}
        />
        <Select
          label={t('Reset period')}
          description={t('In the {timeZone} time zone', { timeZone: time_zone })}
          data={windowChoices}
          allowDeselect={false}
          disabled={fixed}
          value={fields.window}
          onChange={(window) => set({ window: window ?? 'month' })}
        />
      </SimpleGrid>
      <Switch
        label={t('Reject requests over budget')}
        description={t('When off, the budget only warns')}
        checked={fields.hard}
        onChange={(event) => set({ hard: event.currentTarget.checked })}
      />
      <TagsInput
        label={t('Warn at')}
        description={t(
          'Percentages, each reported once per period: here, by email to owners and admins, and to the webhook',
        )}
        value={fields.alerts}
        onChange={(alerts) => set({ alerts: alertsIn(alerts) })}
        // Not a comma, which may belong to a number.
        splitChars={[' ', ';', '%']}
        error={faults.alerts}
      />
    </FormDialog>
  );
}
