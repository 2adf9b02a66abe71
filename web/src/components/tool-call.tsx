import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { t } from '../language/words.ts';

export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it, possibly incomplete. */
  arguments: string;
}

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
          {t('Tool call')}
        </Badge>
      </Group>
      <pre className="svc-code" style={{ padding: '0.5rem 0.75rem' }}>
        {pretty(call.arguments) || '{}'}
      </pre>
    </Stack>
  );
}
