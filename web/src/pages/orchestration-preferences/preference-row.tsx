import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { get, put } from '../../api.ts';
import { SavedMark } from '../../components/saved-mark.tsx';
import { queryClient } from '../../session.ts';
import { type Field, initialText, type Preferences, rangeText, type Value } from './preference-fields.ts';
import { PreferenceInput } from './preference-input.tsx';

export const preferencesQuery = queryOptions({
  queryKey: ['orchestration-preferences'],
  queryFn: async ({ signal }) => (await get('/api/svc-ms/user/preferences', { signal })) as Preferences,
});

export function PreferenceRow({ field, value }: { field: Field; value: Value }) {
  const save = useMutation({
    // Null goes back to the default, also when the service's default changes some day.
    mutationFn: (next: Value | null) => put('/api/svc-ms/user/preferences', { body: { [field.name]: next } }),
    onSuccess: (all) => queryClient.setQueryData(preferencesQuery.queryKey, all as Preferences),
  });
  return (
    <div className="svc-option">
      <div>
        <Text span size="sm" fw={600} mr={8}>
          {field.label}
        </Text>
        <SavedMark act={save} />
        <Text size="sm" c="dimmed">
          {field.help}. Default: {initialText(field)}.{rangeText(field)}
        </Text>
        {save.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {save.error.message}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap" className="svc-option-control">
        <div style={{ flex: 1 }}>
          <PreferenceInput field={field} value={value} disabled={save.isPending} onSave={(next) => save.mutate(next)} />
        </div>
        <Tooltip label={`Back to the default: ${initialText(field)}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Reset ${field.label}`}
            disabled={value === field.initial || save.isPending}
            onClick={() => save.mutate(null)}
          >
            <IconRestore size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  );
}
