import { Stack, Text } from '@mantine/core';
import { Code } from '../../components/code-block.tsx';
import { Section } from '../../components/section.tsx';
import type { RequestDetail } from './requests-query.ts';

const roles = { system: 'System', user: 'User', assistant: 'Assistant' };

/** What was asked and what was answered, where that was kept. */
export function ContentOfRequest({ content }: { content: NonNullable<RequestDetail['content']> }) {
  const { prompt, answer, cut } = content;
  return (
    <Section title="Prompt and answer" description={cut ? 'Only a part of it is kept: it was too long.' : undefined}>
      <Stack gap="sm">
        {prompt.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change its order
          <div key={index}>
            <Text size="sm" fw={600} mb={4}>
              {roles[role]}
            </Text>
            <Code label={`${roles[role]}, message ${index + 1}`} code={text} maxHeight={320} wrap />
          </div>
        ))}
        <div>
          <Text size="sm" fw={600} mb={4}>
            Answer
          </Text>
          {answer ? (
            <Code label="Answer" code={answer} maxHeight={480} wrap />
          ) : (
            <Text size="sm" c="dimmed">
              {answer === null ? 'Nobody answered.' : 'Nothing was said.'}
            </Text>
          )}
        </div>
      </Stack>
    </Section>
  );
}
