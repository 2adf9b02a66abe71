import { Group, Select } from '@mantine/core';
import { modelTypes } from '../../catalog.ts';
import { SearchInput } from '../../components/search-input.tsx';
import { t } from '../../language/words.ts';
import { capabilities, capabilityNames } from '../../model-facts.ts';
import { type ModelFilter, sortings } from '../../model-list.ts';

interface ModelFiltersProps {
  filter: ModelFilter;
  providers: string[];
  set: (changes: Partial<ModelFilter>) => void;
}

export function ModelFilters({ filter, providers, set }: ModelFiltersProps) {
  const choice = (name: keyof ModelFilter, label: string, placeholder: string) => ({
    'aria-label': label,
    placeholder,
    value: filter[name] || null,
    onChange: (value: string | null) => set({ [name]: value ?? '' }),
    clearable: true,
    clearButtonProps: { 'aria-label': placeholder },
    w: { base: '100%', xs: 165 },
  });
  return (
    <Group gap="sm" mb="md" role="search" aria-label={t('Filter models')} className="svc-filters svc-filters-odd">
      <SearchInput
        label={t('Search models')}
        placeholder={t('Model name')}
        value={filter.q}
        onChange={(q) => set({ q })}
        width={200}
      />
      <Select
        {...choice('capability', t('Capability'), t('Any capability'))}
        data={capabilities.map((value) => ({ value, label: capabilityNames[value] }))}
      />
      <Select {...choice('provider', t('Provider'), t('All providers'))} data={providers} searchable />
      <Select {...choice('type', t('Type'), t('All types'))} data={modelTypes} />
      <Select
        aria-label={t('Sort')}
        data={sortings}
        allowDeselect={false}
        value={filter.sort}
        onChange={(sort) => set({ sort: sort ?? '' })}
        w={{ base: '100%', xs: 205 }}
      />
    </Group>
  );
}
