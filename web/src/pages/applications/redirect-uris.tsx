import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { t } from '../../language/words.ts';
import { mostRedirectUris, redirectUriFault } from './application-fields.ts';

interface RedirectUrisProps {
  value: string[];
  onChange: (uris: string[]) => void;
  /** Errors found on submit. */
  faults?: (string | undefined)[];
}

/** The allowed redirect addresses, one per line; a line is validated on blur. */
export function RedirectUris({ value, onChange, faults = [] }: RedirectUrisProps) {
  const id = useId();
  const [left, setLeft] = useState<string[]>([]);
  const change = (index: number, uri: string) => onChange(value.map((one, at) => (at === index ? uri : one)));
  const faultOf = (uri: string, index: number) => {
    const seen = left.includes(uri) || faults[index] !== undefined;
    return seen && uri !== '' ? redirectUriFault(uri.trim()) : uri === '' ? faults[index] : undefined;
  };
  return (
    <Stack gap={6} role="group" aria-labelledby={id}>
      <div>
        <Input.Label component="div" id={id} required>
          {t('Redirect addresses')}
        </Input.Label>
        <Input.Description>
          {t(
            'Where users return with a code; must match exactly. Use https, http on localhost (any port), or your app’s own scheme.',
          )}
        </Input.Description>
      </div>
      {value.map((uri, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by their position only
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            flex={1}
            aria-label={t('Redirect address {number}', { number: index + 1 })}
            placeholder="https://app.example/callback"
            value={uri}
            onChange={(event) => change(index, event.currentTarget.value)}
            onBlur={() => setLeft([...left, uri])}
            error={faultOf(uri, index)}
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
          />
          {value.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('Remove redirect address {number}', { number: index + 1 })}
              onClick={() => onChange(value.filter((_, at) => at !== index))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {value.length < mostRedirectUris && (
        <Group>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange([...value, ''])}
          >
            {t('Add another')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
