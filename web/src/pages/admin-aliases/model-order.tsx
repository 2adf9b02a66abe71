import { ActionIcon, Autocomplete, Button, Group, Input, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modelsQuery } from '../../models.ts';
import { added, moved } from './alias-fields.ts';

interface ModelOrderProps {
  models: string[];
  error: string | undefined;
  onChange: (models: string[]) => void;
}

/** Models in the order in which they are asked. */
export function ModelOrder({ models, error, onChange }: ModelOrderProps) {
  const known = useQuery(modelsQuery).data?.map(({ id }) => id) ?? [];
  const [typed, setTyped] = useState('');
  const add = (name: string) => {
    onChange(added(models, name));
    setTyped('');
  };
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
                    aria-label={`Ask ${model} earlier`}
                    disabled={index === 0}
                    onClick={() => onChange(moved(models, index, -1))}
                  >
                    <IconArrowUp size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Ask ${model} later`}
                    disabled={index === models.length - 1}
                    onClick={() => onChange(moved(models, index, 1))}
                  >
                    <IconArrowDown size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Leave out ${model}`}
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
      <Group align="flex-end" gap="xs">
        <Autocomplete
          label="Add a model"
          description="Of several the first that can answers; the next is asked where one does not"
          placeholder="vendor/name"
          flex="1 1 14rem"
          data={known.filter((id) => !models.includes(id))}
          limit={50}
          maxDropdownHeight={220}
          maxLength={200}
          value={typed}
          onChange={setTyped}
          onOptionSubmit={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || typed.trim() === '') return;
            event.preventDefault();
            add(typed);
          }}
        />
        <Button variant="default" disabled={typed.trim() === ''} onClick={() => add(typed)}>
          Add
        </Button>
      </Group>
      {error && <Input.Error>{error}</Input.Error>}
    </Stack>
  );
}
