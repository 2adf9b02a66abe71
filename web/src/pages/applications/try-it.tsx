import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { redirectUrisOf } from '../../components/app-identity.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { rich, t } from '../../language/words.ts';
import type { Application } from './application-fields.ts';
import { type Discovery, discoveryQuery } from './application-queries.ts';
import { newPkce, newState, type Pkce } from './pkce.ts';
import { quickStart } from './snippets.ts';

function authorizeUrl(application: Application, at: Discovery, redirectUri: string, pkce: Pkce, state: string): string {
  const url = new URL(at.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: application.client_id,
    redirect_uri: redirectUri,
    scope: application.allowed_scopes,
    state,
    code_challenge: pkce.challenge,
    code_challenge_method: pkce.method,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function TryIt({ application, at }: { application: Application; at: Discovery }) {
  const uris = redirectUrisOf(application);
  const [redirectUri, setRedirectUri] = useState(uris[0] ?? '');
  const [state] = useState(newState);
  const pkce = useQuery({ queryKey: ['pkce', application.id], queryFn: newPkce, staleTime: Number.POSITIVE_INFINITY });
  const url = pkce.data && authorizeUrl(application, at, redirectUri, pkce.data, state);
  return (
    <Stack>
      <Text size="sm">
        {rich(
          'With PKCE your program generates a random <b>verifier</b> and keeps it. Only its hash, the <b>challenge</b>, passes through the browser, so a stolen code cannot be used without the verifier.',
          { b: (text) => <b>{text}</b> },
        )}
      </Text>
      {uris.length > 1 && (
        <Select
          label={t('Return to')}
          data={uris}
          value={redirectUri}
          allowDeselect={false}
          onChange={(uri) => setRedirectUri(uri ?? redirectUri)}
        />
      )}
      <CopyField label={t('Consent screen')} value={url ?? ''} />
      <CopyField
        label={t('Verifier')}
        description={t('Send it as code_verifier when you exchange the returned code')}
        value={pkce.data?.verifier ?? ''}
      />
      <Group>
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener"
          variant="default"
          disabled={!url}
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          {t('Try it')}
        </Button>
      </Group>
    </Stack>
  );
}

export function QuickStart({ application }: { application: Application }) {
  const discovery = useQuery(discoveryQuery);
  if (discovery.error) return <ErrorState error={discovery.error} onRetry={() => discovery.refetch()} />;
  if (!discovery.data) return null;
  return (
    <>
      <Section title={t('Quick start')} description={t('Sign a user in from your own code.')}>
        <CodeBlock snippets={quickStart(application, discovery.data)} />
      </Section>
      <Section title={t('Try it')} description={t('Open the consent screen as your users will see it.')}>
        <TryIt application={application} at={discovery.data} />
      </Section>
    </>
  );
}
