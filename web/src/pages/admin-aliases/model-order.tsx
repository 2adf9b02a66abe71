import { ActionIcon, Group, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { ModelsPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { added, moved } from './alias-fields.ts';

interface ModelOrderProps {
  models: string[];
  error: string | undefined;
  onChange: (models: string[]) => void;
}

/** Models in the order in which they are tried. */
export function ModelOrder({ models, error, onChange }: ModelOrderProps) {
  return (
    <Stack gap="xs">
      {models.length > 0 && (
        <Stack component="ol" gap={4} m={0} pl="lg" fz="sm">
          {models.map((model, index) => (
            <li key={model}>
              <Group gap={4} wrap="nowrap" justify="space-between">
                <Text size="sm" className="svc-anywhere">
                  {model}
                </Text>
                <Group gap={2} wrap="nowrap">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('Move {model} up', { model })}
                    disabled={index === 0}
                    onClick={() => onChange(moved(models, index, -1))}
                  >
                    <IconArrowUp size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('Move {model} down', { model })}
                    disabled={index === models.length - 1}
                    onClick={() => onChange(moved(models, index, 1))}
                  >
                    <IconArrowDown size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('Remove {model}', { model })}
                    onClick={() => onChange(models.filter((one) => one !== model))}
                  >
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              </Group>
            </li>
          ))}
        </Stack>
      )}
      <ModelsPicker
        label={t('Add a model')}
        description={t('The first available model answers; if it fails, the next one is tried')}
        placeholder="vendor/name"
        maxLength={200}
        fits={({ id, members }) => members.length === 0 && !models.includes(id)}
        // Always empty: the chosen models are listed above, in their order.
        value={[]}
        onChange={(names) => onChange(names.reduce(added, models))}
        error={error}
      />
    </Stack>
  );
}
