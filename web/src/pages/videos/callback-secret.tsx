import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { RotateSecret } from '../../components/rotate-secret.tsx';
import { SecretField } from '../../components/secret-field.tsx';
import { Section } from '../../components/section.tsx';
import { formatZoned } from '../../format.ts';
import { useIdempotent } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { callbackSecretQuery, rotateCallbackSecret } from './videos-api.ts';

/** The secret with which receivers verify that a callback is genuine. */
export function CallbackSecret() {
  const query = useQuery(callbackSecretQuery);
  const [rotating, setRotating] = useState(false);
  const rotate = useIdempotent(rotateCallbackSecret);
  const change = async (overlapSeconds: number) => {
    const changed = await rotate(overlapSeconds);
    queryClient.setQueryData(callbackSecretQuery.queryKey, changed);
    notifySuccess(t('Callbacks are now signed with the new secret'));
    setRotating(false);
  };
  if (query.error && !query.data) {
    return (
      <ErrorState error={query.error} title={t('The secret could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  if (!query.data) return <Skeleton height={190} aria-busy="true" />;
  const { secret, previous } = query.data;
  return (
    <Section
      title={t('Callbacks##of videos')}
      description={t(
        'Calls to a callback address are signed so that the receiver can verify that they come from this service.',
      )}
    >
      <Stack align="flex-start" maw={560}>
        <SecretField
          label={t('Callback secret')}
          description={t('Used to create X-Svc-Signature: t=<time>,v1=<HMAC-SHA256 of “time.body”>')}
          value={secret}
        />
        {previous && (
          <Text size="sm" c="dimmed">
            {t('Until {endsAt}, calls are also signed with the previous secret, in {header}.', {
              header: previous.header,
              endsAt: formatZoned(previous.ends_at),
            })}
          </Text>
        )}
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => setRotating(true)}>
          {t('Rotate secret')}
        </Button>
      </Stack>
      {rotating && (
        <RotateSecret
          title={t('New callback secret')}
          previous={previous}
          onClose={() => setRotating(false)}
          onSubmit={change}
        >
          {t(
            'Calls are signed with the new secret immediately. While the old secret is valid, a second header is signed with it.',
          )}
        </RotateSecret>
      )}
    </Section>
  );
}
