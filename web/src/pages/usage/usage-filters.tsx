import { Group, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayInput } from '../../components/day-input.tsx';
import { ModelPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { keysQuery } from '../../session.ts';
import { summaryQuery } from './usage-queries.ts';
import { filterOf, periods, type Range, type UsageState } from './usage-range.ts';

interface UsageFiltersProps {
  state: UsageState;
  set: (changes: Partial<UsageState>) => void;
  range: Range;
}

export function UsageFilters({ state, set, range }: UsageFiltersProps) {
  const given = state.from !== '' || state.to !== '';
  const [dates, setDates] = useState(given);
  const keys = useQuery(keysQuery);
  // Offer all models used in this period, regardless of the selected model and key.
  const models = useQuery(summaryQuery(filterOf({ ...state, model: '', key: '' }, Date.now()), 'model'));
  const names = models.data?.items.flatMap(({ model }) => (model ? [model] : [])) ?? [];
  const choose = (days: string) => {
    setDates(days === 'dates');
    set(days === 'dates' ? { from: range.first, to: range.last, page: '1' } : { days, from: '', to: '', page: '1' });
  };
  return (
    <Group mb="lg" gap="sm" align="flex-end" role="search" aria-label={t('Filter usage')}>
      <SegmentedControl
        aria-label={t('Period')}
        w={{ base: '100%', xs: 'auto' }}
        data={periods}
        value={dates || given ? 'dates' : state.days}
        onChange={choose}
      />
      {(dates || given) && (
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <DayInput
            label={t('First day')}
            value={state.from || range.first}
            used={range.first}
            max={range.last}
            onChange={(from) => set({ from, page: '1' })}
          />
          <DayInput
            label={t('Last day')}
            value={state.to || range.last}
            used={range.last}
            onChange={(to) => set({ to, page: '1' })}
          />
        </Group>
      )}
      <ModelPicker
        aria-label={t('Model')}
        placeholder={t('All models')}
        fits={({ id }) => names.includes(id)}
        besides={names}
        value={state.model}
        onChange={(model) => set({ model, page: '1' })}
        clearable
        clearButtonProps={{ 'aria-label': t('All models') }}
        w={{ base: '100%', xs: 200 }}
      />
      <Select
        aria-label={t('Key')}
        placeholder={t('All keys')}
        data={keys.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
        value={state.key || null}
        onChange={(key) => set({ key: key ?? '', page: '1' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('All keys') }}
        w={{ base: '100%', xs: 180 }}
      />
    </Group>
  );
}
