import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, post } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyError } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { useHasPassword } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';
import { PasskeyForm } from './passkey-form.tsx';
import { PasskeyList } from './passkey-list.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { type Passkey, reloadSecurity, securityQuery } from './security-query.ts';
import { TotpSetup } from './totp-setup.tsx';

type Open =
  | { act: 'totp' | 'totp-off' | 'new-passkey' }
  | { act: 'name-passkey' | 'remove-passkey'; passkey: Passkey }
  | { act: 'codes'; codes: string[] };

export function SecondFactors() {
  const query = useQuery(securityQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const done = (codes?: string[]) => {
    setOpen(codes ? { act: 'codes', codes } : null);
    reloadSecurity();
  };
  const renew = useAct({
    mutationFn: () => post('/api/user/recovery-codes'),
    onSuccess: ({ recovery_codes }) => done(recovery_codes),
    onError: notifyError,
  });
  const security = query.data;
  const isFirst = security?.methods.length === 0;
  const needsPassword = useHasPassword() && isFirst;
  return (
    <Section
      title={t('Second factor')}
      description={t('Required after your password, so that the password alone is not enough to log in.')}
    >
      {query.error && !security && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {security?.required && isFirst && (
        <Alert color="orange" variant="light" mb="md" title={t('Administrators need a second factor')}>
          {t('You cannot open the administration pages until you have set one up.')}
        </Alert>
      )}
      {security && (
        <Stack>
          <Group justify="space-between">
            <div>
              <Group gap="xs">
                <Text fw={600} size="sm">
                  {t('Authenticator app')}
                </Text>
                {security.totp_since !== null && (
                  <Badge size="sm" color="teal">
                    {t('On')}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {security.totp_since === null
                  ? t('Codes from an app on your phone.')
                  : rich('Turned on {time}', { time: <TimeAgo at={security.totp_since} /> })}
              </Text>
            </div>
            {security.totp_since === null ? (
              <Button variant="default" size="sm" onClick={() => setOpen({ act: 'totp' })}>
                {t('Set up')}
              </Button>
            ) : (
              <Button variant="subtle" color="red" size="sm" onClick={() => setOpen({ act: 'totp-off' })}>
                {t('Turn off')}
              </Button>
            )}
          </Group>
          <PasskeyList
            passkeys={security.passkeys}
            onAdd={() => setOpen({ act: 'new-passkey' })}
            onName={(passkey) => setOpen({ act: 'name-passkey', passkey })}
            onRemove={(passkey) => setOpen({ act: 'remove-passkey', passkey })}
          />
          {!isFirst && (
            <Group justify="space-between">
              <div>
                <Text fw={600} size="sm">
                  {t('Recovery codes')}
                </Text>
                <Text size="sm" c="dimmed">
                  {t('{count} left. Each can be used once when you do not have your device.', {
                    count: security.recovery_codes_left,
                  })}
                </Text>
              </div>
              <Button variant="default" size="sm" loading={renew.isPending} onClick={() => renew.mutate()}>
                {t('New codes')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
      {open?.act === 'totp' && <TotpSetup needsPassword={needsPassword} onClose={close} onDone={done} />}
      {open?.act === 'new-passkey' && <PasskeyForm needsPassword={needsPassword} onClose={close} onDone={done} />}
      {open?.act === 'name-passkey' && (
        <PasskeyForm passkey={open.passkey} needsPassword={false} onClose={close} onDone={done} />
      )}
      <ConfirmDelete
        opened={open?.act === 'totp-off'}
        onClose={close}
        title={t('Turn off the authenticator app?')}
        confirmLabel={t('Turn off')}
        onConfirm={() => del('/api/user/totp').then(reloadSecurity)}
      >
        {t('You will no longer be asked for its codes.')}
      </ConfirmDelete>
      <ConfirmDelete
        opened={open?.act === 'remove-passkey'}
        onClose={close}
        title={t('Remove this passkey?')}
        confirmLabel={t('Remove')}
        onConfirm={async () => {
          if (open?.act !== 'remove-passkey') return;
          await del('/api/user/passkeys/{id}', { path: { id: open.passkey.id } });
          reloadSecurity();
        }}
      >
        {open?.act === 'remove-passkey' && t('You can no longer log in with {name}.', { name: open.passkey.name })}
      </ConfirmDelete>
      <RecoveryCodes codes={open?.act === 'codes' ? open.codes : null} onClose={close} />
    </Section>
  );
}
