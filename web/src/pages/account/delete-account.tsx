import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, del } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { Section } from '../../components/section.tsx';
import { formatQuota } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { forgetUser, useUser } from '../../session.ts';
import { useHasPassword } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';

const rootRole = 100;

function WhatHappens({ quota }: { quota: number }) {
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={600}>
          {t('Deleted immediately or within minutes')}
        </Text>
        <List size="sm" spacing={2}>
          <List.Item>{t('Profile, password, API keys; every device is logged out')}</List.Item>
          <List.Item>{t('Sessions, messages, knowledge, runs and preferences')}</List.Item>
          <List.Item>{t('Videos and their files, routing decisions')}</List.Item>
          <List.Item>{t('Your OAuth applications, and the access you granted to others')}</List.Item>
        </List>
      </div>
      <div>
        <Text size="sm" fw={600}>
          {t('Kept')}
        </Text>
        <List size="sm" spacing={2}>
          <List.Item>
            {t(
              'Usage and ledger entries, without your name, for a year unless the operator set another period; daily totals are kept so that the accounts balance',
            )}
          </List.Item>
          <List.Item>
            {t('Audit entries, without name, address and browser, for a year unless the operator set another period')}
          </List.Item>
          <List.Item>{t('Images that models generated for you, until they are 24 hours old')}</List.Item>
          <List.Item>{t('Earlier backups, for as long as the operator keeps them')}</List.Item>
        </List>
      </div>
      <Text size="sm">
        {quota > 0
          ? t('Your balance of {amount} can no longer be used. Your username becomes available to others.', {
              amount: formatQuota(quota),
            })
          : t('Your username becomes available to others.')}
      </Text>
    </Stack>
  );
}

function DeleteForm({ onClose }: { onClose: () => void }) {
  const user = useUser();
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const hasPassword = useHasPassword();
  const [password, setPassword] = useState('');
  const remove = useAct({
    mutationFn: () => del('/api/user/self', { body: hasPassword ? { password } : {} }),
    onSuccess: async () => {
      forgetUser();
      await router.navigate({ to: '/goodbye', replace: true });
    },
    onError: () => input.current?.select(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate();
  };
  const wrong =
    remove.error instanceof ApiError && remove.error.status === 400 ? serverText(remove.error.message) : undefined;
  return (
    <form onSubmit={submit}>
      <Stack>
        <WhatHappens quota={user.quota} />
        {hasPassword ? (
          <PasswordInput
            ref={input}
            label={t('Your password')}
            description={t('This cannot be undone. Enter your password to confirm that it is you.')}
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={wrong}
            errorProps={{ role: 'alert' }}
          />
        ) : (
          <Text size="sm">{t('This cannot be undone. It is possible only within 15 minutes of signing in.')}</Text>
        )}
        <FormFoot
          act={wrong ? { error: null, isPending: remove.isPending } : remove}
          failure={t('Your account was not deleted')}
          submitLabel={t('Delete permanently')}
          onCancel={onClose}
          disabled={hasPassword && password === ''}
          danger
        />
      </Stack>
    </form>
  );
}

export function DeleteAccount() {
  const { role } = useUser();
  const [opened, setOpened] = useState(false);
  const isRoot = role >= rootRole;
  return (
    <Section
      title={t('Delete your account')}
      danger
      description={
        isRoot
          ? t('The root user cannot be deleted, because nobody else could manage the service.')
          : t(
              'Disables every way to log in immediately and deletes your data. Download your data first if you want to keep it.',
            )
      }
    >
      <Group>
        <Button color="red" variant="light" disabled={isRoot} onClick={() => setOpened(true)}>
          {t('Delete my account')}
        </Button>
      </Group>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t('Delete your account?')} size="lg">
        <DeleteForm onClose={() => setOpened(false)} />
      </Dialog>
    </Section>
  );
}
