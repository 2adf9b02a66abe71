import { Group, Text } from '@mantine/core';
import { memo } from 'react';
import { Markdown } from '../../components/markdown.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { ToolCallView } from '../../components/tool-call.tsx';
import { rich, t } from '../../language/words.ts';
import { textOfContent, toolCallsOf } from './message-parts.ts';
import type { Message } from './sessions-queries.ts';

const roleNames: Record<string, string> = {
  user: t('You##role'),
  assistant: t('Assistant'),
  system: t('System##role'),
  developer: t('Developer'),
  tool: t('Tool result'),
};

interface MessageViewProps {
  message: Message;
  /** For a tool result: the name of the tool. */
  toolName?: string;
}

function Body({ message }: { message: Message }) {
  const text = textOfContent(message.content);
  if (text === '') return null;
  if (message.role === 'tool') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard (WCAG 2.1.1)
      <pre className="svc-code svc-message-result" tabIndex={0}>
        {text}
      </pre>
    );
  }
  return message.role === 'user' ? <div className="svc-plain">{text}</div> : <Markdown>{text}</Markdown>;
}

export const MessageView = memo(function MessageView({ message, toolName }: MessageViewProps) {
  const { role, model, tokens, created_at } = message;
  return (
    <article
      className="svc-message"
      data-role={role}
      aria-label={t('{role} message', { role: roleNames[role] ?? role })}
    >
      <Group gap="0.125rem 0.625rem" mb={4}>
        <Text size="sm" fw={600}>
          {roleNames[role] ?? role}
        </Text>
        <Text size="xs" c="dimmed">
          {[toolName, model].filter(Boolean).join(' · ')}
        </Text>
        <Text size="xs" c="dimmed" ml="auto" className="svc-number">
          {rich('{tokens, plural, one {# token} other {# tokens}} · {when}', {
            tokens,
            when: <TimeAgo at={created_at} />,
          })}
        </Text>
      </Group>
      <Body message={message} />
      {toolCallsOf(message.tool_calls).map((call) => (
        <ToolCallView key={call.id} call={call} />
      ))}
    </article>
  );
});
