import { queryOptions } from '@tanstack/react-query';
import { get, put } from '../../api.ts';
import { SettingRow } from '../../components/setting-row.tsx';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useSetting } from '../../use-setting.ts';
import { type Field, helpText, initialText, type Preferences, type Value } from './preference-fields.ts';
import { PreferenceInput } from './preference-input.tsx';

export const preferencesQuery = queryOptions({
  queryKey: ['orchestration-preferences'],
  queryFn: async ({ signal }) => (await get('/api/svc-ms/user/preferences', { signal })) as Preferences,
});

export function PreferenceRow({ field, value }: { field: Field; value: Value }) {
  const { save, change, chosen } = useSetting(`preference ${field.name}`, {
    // Null restores the default, and follows the service's default if that changes later.
    mutationFn: (next: Value | null) => put('/api/svc-ms/user/preferences', { body: { [field.name]: next } }),
    onSuccess: (all) => queryClient.setQueryData(preferencesQuery.queryKey, all as Preferences),
  });
  return (
    <SettingRow
      label={field.label}
      help={helpText(field)}
      initial={t('the default: {initial}', { initial: initialText(field) })}
      isInitial={value === field.initial}
      act={save}
      onReset={() => change(null)}
    >
      <PreferenceInput
        field={field}
        value={field.kind === 'number' ? value : (chosen(value) ?? field.initial)}
        onSave={change}
      />
    </SettingRow>
  );
}
