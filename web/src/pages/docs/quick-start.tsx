import { Code, List, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { chatSnippets } from '../../components/chat-snippets.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { rich, t } from '../../language/words.ts';
import { firstModel, modelsQuery } from '../../models.ts';
import { queryClient, selfQuery } from '../../session.ts';

export const quickStartId = 'quick-start';

const code = (text: ReactNode) => <Code>{text}</Code>;
const linkTo = (to: '/keys' | '/models' | '/requests') => (text: ReactNode) => (
  <AnchorLink to={to} inherit underline="always">
    {text}
  </AnchorLink>
);

/** Errors that the caller can act on; the endpoints list all status codes. */
const failures = [
  { status: '401', meaning: t('The key is missing, mistyped, disabled or expired.') },
  { status: '403', meaning: t('The balance or a limit is used up, or the key does not allow this use.') },
  { status: '404', meaning: t('The model does not exist, or none of its providers fits the request.') },
  { status: '429', meaning: t('Too many requests. Wait for the time given in retry-after.') },
  { status: '502, 503', meaning: t('The provider failed, or no provider is available. Try again in a moment.') },
];

function Step({ title, text, children }: { title: string; text: ReactNode; children?: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={3}>{title}</Title>
      <Text size="sm" maw="46rem">
        {text}
      </Text>
      {children}
    </Stack>
  );
}

function Failures() {
  return (
    <List size="sm" spacing={4}>
      {failures.map(({ status, meaning }) => (
        <List.Item key={status}>
          <Code>{status}</Code> {meaning}
        </List.Item>
      ))}
    </List>
  );
}

/**
 * From no account to the first answer, in the page's language. If the user is already loaded, the example uses a model
 * that answers.
 */
export function QuickStart() {
  const known = queryClient.getQueryData(selfQuery.queryKey) !== undefined;
  const models = useQuery({ ...modelsQuery, enabled: known });
  const baseUrl = window.location.origin;
  const model = firstModel(models.data ?? []) || 'provider/model';
  return (
    <Stack component="section" id={quickStartId} className="svc-quick-start" aria-label={t('Quick start')} gap="lg">
      <Title order={2}>{t('Quick start')}</Title>
      <Step
        title={t('1. Create a key')}
        text={rich(
          'Log in and create one under <link>Keys</link>. It starts with <code>sk-</code>, is shown only once and spends your balance. Store it where only your programs can read it.',
          { link: linkTo('/keys'), code },
        )}
      />
      <Step
        title={t('2. Configure the base URL and the key')}
        text={t(
          'SDKs and most tools read them from OPENAI_BASE_URL and OPENAI_API_KEY, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY, or GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY.',
        )}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw="46rem">
          <CopyField label={t('OpenAI base URL')} value={`${baseUrl}/v1`} />
          <CopyField label={t('Anthropic and Gemini base URL')} value={baseUrl} />
        </SimpleGrid>
      </Step>
      <Step
        title={t('3. Call a model')}
        text={rich(
          'Use any model from the <link>Models</link> page or from <code>GET /v1/models</code>; every chat model answers in every format. With <code>"stream": true</code> the answer is streamed as it is generated.',
          { link: linkTo('/models'), code },
        )}
      >
        <CodeBlock snippets={chatSnippets({ baseUrl, apiKey: 'sk-your-key', model })} />
      </Step>
      <Step
        title={t('4. Handle errors')}
        text={rich(
          'Every response has an <code>x-request-id</code>; <link>Requests</link> shows its outcome. The status tells you what to do:',
          { link: linkTo('/requests'), code },
        )}
      >
        <Failures />
      </Step>
    </Stack>
  );
}
