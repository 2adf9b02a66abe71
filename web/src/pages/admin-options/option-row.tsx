import { queryOptions, useMutation } from '@tanstack/react-query';
import { get, put } from '../../api.ts';
import { SettingRow } from '../../components/setting-row.tsx';
import { formatNumber, formatQuota } from '../../format.ts';
import { queryClient } from '../../session.ts';
import { durationOf, labelOf, type Option } from './option-groups.ts';
import { OptionInput } from './option-input.tsx';

export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: ({ signal }) => get('/api/admin/options', { signal }),
});

function written(value: Option['value']): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return formatNumber(value);
  return value === '' ? 'empty' : value;
}

/** A number in words that mean something. */
function meaning({ key, value }: Option): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (key.endsWith('TTL')) return durationOf(value);
  return key === 'QuotaForNewUser' ? formatQuota(value) : undefined;
}

export function OptionRow({ option }: { option: Option }) {
  const save = useMutation({
    // One after the other, so that the last change wins.
    scope: { id: `option ${option.key}` },
    mutationFn: (value: Option['value']) => put('/api/admin/options', { body: { key: option.key, value } }),
    onSuccess: (changed) =>
      queryClient.setQueryData(optionsQuery.queryKey, (options) =>
        options?.map((one) => (one.key === changed.key ? changed : one)),
      ),
  });
  const label = labelOf(option.key);
  const words = meaning(option);
  return (
    <SettingRow
      label={label}
      code={option.key}
      help={`${option.description}. Default: ${written(option.default)}.${words ? ` Now ${words}.` : ''}`}
      initial={written(option.default)}
      isInitial={option.value === option.default}
      act={save}
      onReset={() => save.mutate(option.default)}
    >
      <OptionInput option={option} label={label} onSave={(value) => save.mutate(value)} />
    </SettingRow>
  );
}
