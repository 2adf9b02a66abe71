import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ToolCall } from '../../components/tool-call.tsx';
import { t } from '../../language/words.ts';
import type { ChatStore } from './chat-store.ts';

interface ToolResultsProps {
  store: ChatStore;
  column: string;
  calls: ToolCall[];
}

/** Models that answer side by side may give their calls the same ids. */
const fieldOf = (column: string, { id }: ToolCall): string => `${column} ${id}`;

/** The playground does not run tools: the user types in what a tool would have returned. */
export function ToolResults({ store, column, calls }: ToolResultsProps) {
  const [results, setResults] = useState<Record<string, string>>(() =>
    Object.fromEntries(calls.map((call) => [call.id, store.typedIn(fieldOf(column, call)) ?? ''])),
  );
  const send = () => {
    for (const call of calls) store.keepTypedIn(fieldOf(column, call), null);
    store.sendResults(column, results);
  };
  return (
    <form
      data-kept
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack gap="sm">
        {calls.map((call) => (
          <Textarea
            key={call.id}
            label={t('Result of {name}', { name: call.name })}
            description={t('The result the tool would return, as JSON or plain text')}
            autosize
            minRows={2}
            maxRows={10}
            value={results[call.id] ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setResults((before) => ({ ...before, [call.id]: value }));
              store.keepTypedIn(fieldOf(column, call), value || null);
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
