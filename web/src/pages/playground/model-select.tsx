import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelGroups, modelsQuery } from '../../models.ts';

interface ModelSelectProps {
  label?: string;
  value: string;
  onChange: (model: string) => void;
}

/** Every chat model, found by typing any part of its name. */
export function ModelSelect({ label = 'Model', value, onChange }: ModelSelectProps) {
  const models = useQuery(modelsQuery);
  const groups = modelGroups(models.data ?? []);
  const known = groups.some(({ items }) => items.some((item) => item.value === value));
  // A model named by a shared address stays chosen, also when this user may not call it: the answer will say so.
  const data =
    known || value === '' ? groups : [...groups, { group: 'From the address', items: [{ value, label: value }] }];
  return (
    <Select
      className="svc-chat-model"
      aria-label={label}
      placeholder={models.isPending ? 'Loading models…' : 'Choose a model'}
      data={data}
      value={value || null}
      onChange={(model) => model && onChange(model)}
      searchable
      allowDeselect={false}
      selectFirstOptionOnChange
      limit={200}
      maxDropdownHeight={340}
      nothingFoundMessage="No model has that in its name"
      error={models.error ? 'The models could not be loaded' : undefined}
      comboboxProps={{ shadow: 'md' }}
    />
  );
}
