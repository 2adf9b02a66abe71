import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { put } from '../../api.ts';
import { SavedMark } from '../../components/saved-mark.tsx';
import { formatNumber, formatQuota } from '../../format.ts';
import { queryClient } from '../../session.ts';
import { durationOf, labelOf, type Option } from './option-groups.ts';
import { OptionInput } from './option-input.tsx';
import { optionsQuery } from './options-query.ts';

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
    mutationFn: (value: Option['value']) => put('/api/admin/options', { body: { key: option.key, value } }),
    onSuccess: (changed) =>
      queryClient.setQueryData(optionsQuery.queryKey, (options) =>
        options?.map((one) => (one.key === changed.key ? changed : one)),
      ),
  });
  const label = labelOf(option.key);
  const words = meaning(option);
  return (
    <div className="svc-option">
      <div>
        <Text span size="sm" fw={600} mr={8} display="inline-block">
          {label}
        </Text>
        <Text span size="xs" c="dimmed" ff="monospace" mr={8} display="inline-block">
          {option.key}
        </Text>
        <SavedMark act={save} />
        <Text size="sm" c="dimmed" className="svc-anywhere">
          {option.description}. Default: {written(option.default)}.{words && ` Now ${words}.`}
        </Text>
        {save.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {save.error.message}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap" className="svc-option-control">
        <div style={{ flex: 1 }}>
          <OptionInput option={option} label={label} disabled={save.isPending} onSave={(value) => save.mutate(value)} />
        </div>
        <Tooltip label={`Back to ${written(option.default)}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Reset ${label}`}
            disabled={save.isPending}
            // Keeps its place, so that inputs do not move.
            style={{ visibility: option.value === option.default ? 'hidden' : 'visible' }}
            onClick={() => save.mutate(option.default)}
          >
            <IconRestore size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  );
}
