import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { get } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { SecretField } from '../../components/secret-field.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Section } from '../../components/section.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import type { Application } from './application-fields.ts';

const rotateIcon = <IconRefresh size={16} aria-hidden />;

function ClientSecret({ application }: { application: Application }) {
  const [confirming, setConfirming] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const post = usePost();
  if (application.app_type === 'public') {
    return (
      <Text size="sm" c="dimmed">
        {t('A public client has no secret. It uses PKCE instead.')}
      </Text>
    );
  }
  if (application.token_endpoint_auth_method === 'private_key_jwt') {
    return (
      <Text size="sm" c="dimmed">
        {t(
          'This application has no secret; it authenticates with signatures of its private keys. The public keys are under Settings.',
        )}
      </Text>
    );
  }
  const rotate = async () => {
    const path = { app_id: application.id };
    const { client_secret_plain } = await post('/api/oauth2/applications/{app_id}/rotate-secret', { path });
    setSecret(client_secret_plain);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {t('The secret was shown once, when it was created. If it is lost or may have leaked, rotate it.')}
      </Text>
      <Button variant="default" leftSection={rotateIcon} onClick={() => setConfirming(true)}>
        {t('Rotate client secret')}
      </Button>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Rotate the client secret?')}
        confirmLabel={t('Rotate secret')}
        onConfirm={rotate}
      >
        {t(
          'The old secret stops working immediately. Programs that use it cannot sign anyone in until they have the new one.',
        )}
      </ConfirmDelete>
      <SecretOnce
        secret={secret}
        title={t('New client secret')}
        label={t('Client secret')}
        onClose={() => setSecret(null)}
      />
    </Stack>
  );
}

/** Laid out so that it lines up with the client id and secret next to it. */
function WebhookSecret({ application }: { application: Application }) {
  const post = usePost();
  const [confirming, setConfirming] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { app_id: application.id };
  const show = async () =>
    setSecret((await get('/api/oauth2/applications/{app_id}/webhook-secret', { path })).webhook_secret);
  const rotate = async () => {
    setSecret((await post('/api/oauth2/applications/{app_id}/webhook-secret', { path })).webhook_secret);
    notifySuccess(t('Webhook secret rotated'));
  };
  return (
    <Stack gap="xs" align="flex-start">
      <SecretField
        label={t('Webhook secret')}
        description={t('Used to create X-Svc-Signature: t=<time>,v1=<HMAC-SHA256 of “time.body”>')}
        value={secret}
        onShow={show}
      />
      <Button variant="default" leftSection={rotateIcon} onClick={() => setConfirming(true)}>
        {t('Rotate webhook secret')}
      </Button>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Rotate the webhook secret?')}
        confirmLabel={t('Rotate secret')}
        onConfirm={rotate}
      >
        {t(
          'Calls are signed with the new secret from now on. Receivers that still verify with the old one will reject them.',
        )}
      </ConfirmDelete>
    </Stack>
  );
}

export function Credentials({ application }: { application: Application }) {
  return (
    <Section title={t('Credentials')}>
      <Stack>
        {application.status !== 1 && (
          <Alert color="red" variant="light" title={t('Suspended')}>
            {t(
              'An administrator has suspended this application. Nobody can sign in with it, and its tokens are rejected.',
            )}
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          <Stack>
            <CopyField label={t('Client ID')} value={application.client_id} />
            <ClientSecret application={application} />
          </Stack>
          <WebhookSecret application={application} />
        </SimpleGrid>
      </Stack>
    </Section>
  );
}
