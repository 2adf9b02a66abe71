import { Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import type { ToolCall } from './conversation.ts';

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

export function ToolCallView({ call }: { call: ToolCall }) {
  return (
    <Stack gap={6} p="sm" className="svc-aside">
      <Group gap="xs">
        <IconTool size={16} stroke={1.7} aria-hidden />
        <Text size="sm" fw={600} ff="monospace">
          {call.name}
        </Text>
        <Badge size="sm" color="gray">
          Tool call
        </Badge>
      </Group>
      <pre className="svc-code" style={{ padding: '0.5rem 0.75rem' }}>
        {pretty(call.arguments) || '{}'}
      </pre>
    </Stack>
  );
}

interface ToolResultsProps {
  calls: ToolCall[];
  onSend: (results: Record<string, string>) => void;
}

/** The tools run nowhere: whoever tries the model says what they would have answered. */
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
            label={`Result of ${name}`}
            description="What the tool would answer; JSON or plain text"
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
            {calls.length === 1 ? 'Send result' : 'Send results'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
