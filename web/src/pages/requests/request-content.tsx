import { Stack, Text } from '@mantine/core';
import { Code } from '../../components/code-block.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import type { RequestDetail } from './requests-query.ts';

const roles = { system: t('System'), user: t('User'), assistant: t('Assistant') };

/** The request and answer bodies, if they were stored. */
export function ContentOfRequest({ content }: { content: NonNullable<RequestDetail['content']> }) {
  const { prompt, answer, cut } = content;
  return (
    <Section title={t('Prompt and answer')} description={cut ? t('Too long: only part of it was kept.') : undefined}>
      <Stack gap="sm">
        {prompt.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of messages never changes
          <div key={index}>
            <Text size="sm" fw={600} mb={4}>
              {roles[role]}
            </Text>
            <Code
              label={t('{role}, message {number}', { role: roles[role], number: index + 1 })}
              code={text}
              maxHeight={320}
              wrap
            />
          </div>
        ))}
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t('Answer')}
          </Text>
          {answer ? (
            <Code label={t('Answer')} code={answer} maxHeight={480} wrap />
          ) : (
            <Text size="sm" c="dimmed">
              {answer === null ? t('There was no answer.') : t('The answer is empty.')}
            </Text>
          )}
        </div>
      </Stack>
    </Section>
  );
}
