import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chatSnippets } from '../../components/chat-snippets.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { startModel } from '../../model-facts.ts';
import { modelsQuery } from '../../models.ts';
import { queryClient, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';

const placeholder = 'sk-your-key';

function CreateKey({ onKey }: { onKey: (key: string) => void }) {
  const post = usePost();
  const create = useAct({
    mutationFn: () => post('/api/tokens', { body: { name: t('First steps') } }),
    onSuccess: async ({ key }) => {
      onKey(key);
      await queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          leftSection={<IconKey size={16} stroke={1.7} aria-hidden />}
          loading={create.isPending}
          onClick={() => create.mutate()}
        >
          {t('Create a key')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('It is inserted into the examples below.')}
        </Text>
      </Group>
      {create.error && <ErrorState error={create.error} title={t('The key was not created')} />}
    </Stack>
  );
}

/**
 * Example calls with this service's address, and with a key once one is created here. The key is kept only in this
 * page's memory.
 */
export function Connect() {
  const [key, setKey] = useState<string | null>(null);
  const models = useQuery(modelsQuery);
  const baseUrl = window.location.origin;
  const model = startModel(models.data ?? [], useUser().quota) || 'demo/chat';
  return (
    <Section
      title={t('Call it from your code')}
      description={t('Any OpenAI or Anthropic SDK works: change the base URL and the key.')}
    >
      <Stack>
        {key ? (
          <>
            <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
              {t('Copy your key now and keep it safe. It cannot be shown again.')}
            </Alert>
            <CopyField label={t('Your API key')} value={key} />
          </>
        ) : (
          <CreateKey onKey={setKey} />
        )}
        <CodeBlock snippets={chatSnippets({ baseUrl, apiKey: key ?? placeholder, model })} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <CopyField label={t('OpenAI base URL')} value={`${baseUrl}/v1`} />
          <CopyField label={t('Anthropic base URL')} value={baseUrl} />
        </SimpleGrid>
      </Stack>
    </Section>
  );
}
