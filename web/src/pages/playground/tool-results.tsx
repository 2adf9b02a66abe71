import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ToolCall } from '../../components/tool-call.tsx';
import { t } from '../../language/words.ts';

interface ToolResultsProps {
  calls: ToolCall[];
  onSend: (results: Record<string, string>) => void;
}

/** The playground does not run tools: the user types in what a tool would have returned. */
export function ToolResults({ calls, onSend }: ToolResultsProps) {
  const [results, setResults] = useState<Record<string, string>>({});
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend(results);
      }}
    >
      <Stack gap="sm">
        {calls.map(({ id, name }) => (
          <Textarea
            key={id}
            label={t('Result of {name}', { name })}
            description={t('The result the tool would return, as JSON or plain text')}
            autosize
            minRows={2}
            maxRows={10}
            value={results[id] ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setResults((before) => ({ ...before, [id]: value }));
            }}
          />
        ))}
        <Group>
          <Button type="submit" size="sm">
            {calls.length === 1 ? t('Send result') : t('Send results')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
