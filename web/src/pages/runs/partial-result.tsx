import { Stack, Text, Title } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import type { RunStatus } from './runs-queries.ts';

/** The partial result of a paused run, and the remaining tasks. */
export function PartialResult({ run: { partial_result: text, remaining } }: { run: RunStatus }) {
  if (!text && remaining.length === 0) return null;
  return (
    <Section title={t('Progress so far')} actions={text && <CopyButton value={text} label={t('Copy result so far')} />}>
      {text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard (WCAG 2.1.1)
        <section className="svc-task-output" tabIndex={0} aria-label={t('Result so far')}>
          <Markdown>{text}</Markdown>
        </section>
      )}
      {remaining.length > 0 && (
        <>
          <Title order={3} mt={text ? 'md' : 0} mb={4}>
            {t('Remaining')}
          </Title>
          <Stack component="ul" gap={4} m={0} pl="lg">
            {remaining.map((title) => (
              <Text key={title} component="li" size="sm" className="svc-anywhere">
                {title}
              </Text>
            ))}
          </Stack>
        </>
      )}
    </Section>
  );
}
