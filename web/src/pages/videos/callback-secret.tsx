import { Button, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { RotateSecret } from '../../components/rotate-secret.tsx';
import { SecretField } from '../../components/secret-field.tsx';
import { Section } from '../../components/section.tsx';
import { formatZoned } from '../../format.ts';
import { useIdempotent } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type CallbackSecret as Callback, getCallbackSecret, rotateCallbackSecret } from './videos-api.ts';

/** The secret with which receivers verify that a callback is genuine. */
export function CallbackSecret() {
  const [shown, setShown] = useState<Callback | null>(null);
  const [rotating, setRotating] = useState(false);
  const rotate = useIdempotent(rotateCallbackSecret);
  const show = async () => setShown(await getCallbackSecret());
  // Loaded first: the dialog names the earlier secret that it ends.
  const start = useAct({ mutationFn: show, onSuccess: () => setRotating(true), onError: notifyError });
  const change = async (overlapSeconds: number) => {
    setShown(await rotate(overlapSeconds));
    notifySuccess(t('Callbacks are now signed with the new secret'));
    setRotating(false);
  };
  const previous = shown?.previous ?? null;
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
          value={shown?.secret ?? null}
          onShow={show}
        />
        {previous && (
          <Text size="sm" c="dimmed">
            {t('Until {endsAt}, calls are also signed with the previous secret, in {header}.', {
              header: previous.header,
              endsAt: formatZoned(previous.ends_at),
            })}
          </Text>
        )}
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
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
