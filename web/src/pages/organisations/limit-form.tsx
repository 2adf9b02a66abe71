import { NumberInput, Select, SimpleGrid, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { modelsQuery, providersOf } from '../../models.ts';
import { type Organisation, reloadOrganisations } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { type LevelNames, placeChoices, placeName, placeText, readPlace } from './levels.ts';
import type { Limits } from './organisation-queries.ts';

interface Fields {
  place: string;
  requests: number | string;
  tokens: number | string;
  models: string[];
  providers: string[];
}

const isCount = (value: number | string): boolean =>
  value === '' || (Number.isSafeInteger(Number(value)) && Number(value) >= 0);

function faultsOf({ place, requests, tokens }: Fields): { place?: string; requests?: string; tokens?: string } {
  return {
    ...(!readPlace(place) && { place: t('Choose what it applies to.') }),
    ...(!(isCount(requests) && Number(requests) <= 1e9) && { requests: t('Enter a whole number up to one billion.') }),
    ...(!(isCount(tokens) && Number(tokens) <= 1e12) && { tokens: t('Enter a whole number up to one trillion.') }),
  };
}

const fieldsOf = (limits: Limits): Fields => ({
  place: placeText(limits),
  requests: limits.requests_per_minute || '',
  tokens: limits.tokens_per_minute || '',
  models: limits.models,
  providers: limits.providers,
});

interface LimitFormProps {
  organisation: Organisation;
  known: LevelNames;
  /** Places that already have limits; those are edited instead of created. */
  taken: Limits[];
  /** Absent when new limits are created. */
  limits?: Limits;
  onClose: () => void;
}

/** Mounted only while the dialog is open. */
export function LimitForm({ organisation: { id }, known, taken, limits, onClose }: LimitFormProps) {
  const models = useQuery(modelsQuery);
  const has = new Set(taken.map(placeText));
  const free = placeChoices(known)
    .map(({ group, items }) => ({ group, items: items.filter(({ value }) => !has.has(value)) }))
    .filter(({ items }) => items.length > 0);
  const empty: Fields = { place: free[0]?.items[0]?.value ?? '', requests: '', tokens: '', models: [], providers: [] };
  const send = async ({ place, requests, tokens, models: names, providers }: Fields) => {
    const body = {
      ...{ requests_per_minute: Number(requests), tokens_per_minute: Number(tokens), models: names, providers },
    };
    await put('/api/organisations/{id}/limits/{level}/{level_id}', { path: { id, ...readPlace(place)! }, body });
    notifySuccess(t('Limits saved'));
    onClose();
    await reloadOrganisations(id);
  };
  const { fields, faults, set, bind, sending } = useCheckedForm(limits ? fieldsOf(limits) : empty, faultsOf, send);
  return (
    <FormDialog
      onClose={onClose}
      title={limits ? t('Change limits') : t('New limit')}
      {...sending}
      failure={t('The limits were not saved')}
      submitLabel={t('Save')}
    >
      <Select
        label={t('Applies to')}
        data={limits ? [{ value: fields.place, label: placeName(known, limits) }] : free}
        searchable={!limits}
        allowDeselect={false}
        disabled={limits !== undefined}
        value={fields.place}
        onChange={(place) => set({ place: place ?? '' })}
        error={faults.place}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={t('Requests per minute')}
          placeholder={t('No limit')}
          min={0}
          allowDecimal={false}
          {...bind('requests')}
        />
        <NumberInput
          label={t('Tokens per minute')}
          placeholder={t('No limit')}
          min={0}
          allowDecimal={false}
          {...bind('tokens')}
        />
      </SimpleGrid>
      <TagsInput
        label={t('Models')}
        description={t('Leave empty to allow every model')}
        data={models.data?.map((model) => model.id) ?? []}
        {...bind('models')}
        maxDropdownHeight={220}
        limit={100}
        clearable
      />
      <TagsInput
        label={t('Providers')}
        description={t('Leave empty to allow every provider')}
        data={providersOf(models.data ?? []).map(({ name }) => name)}
        {...bind('providers')}
        maxDropdownHeight={220}
        clearable
      />
    </FormDialog>
  );
}
