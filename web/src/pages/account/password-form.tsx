import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { put } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PasswordInput } from '../../components/password-input.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useHasPassword } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';

export function PasswordForm() {
  const [fault, setFault] = useState<string | null>(null);
  const isFirst = !useHasPassword();
  const change = useAct({
    mutationFn: ({
      current_password,
      password,
    }: {
      current_password?: string;
      password: string;
      form: HTMLFormElement;
    }) => put('/api/user/self', { body: { current_password, password } }),
    onSuccess: (_, { form }) => {
      form.reset();
      notifySuccess(t('Password saved. Every other device has been logged out.'));
      // Refetching also detects whether this session was ended, so that the user is sent to log in again.
      queryClient.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const value = (name: string) => String(new FormData(form).get(name));
    const password = value('password');
    const problem =
      password.length < 8 || password.length > 128
        ? t('Use 8 to 128 characters.')
        : password !== value('repeated')
          ? t('The new passwords do not match.')
          : null;
    setFault(problem);
    const current = isFirst ? {} : { current_password: value('current_password') };
    if (!problem) change.mutate({ ...current, password, form });
  };
  return (
    <Section
      title={t('Password')}
      description={
        isFirst
          ? t(
              'You have no password yet. You can set one within 15 minutes of signing in; all other devices are then logged out.',
            )
          : t('Changing it logs out all your other devices.')
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {!isFirst && (
              <PasswordInput
                name="current_password"
                label={t('Current password')}
                autoComplete="current-password"
                required
              />
            )}
            <PasswordInput
              name="password"
              label={t('New password')}
              autoComplete="new-password"
              required
              error={fault}
            />
            <PasswordInput name="repeated" label={t('Confirm new password')} autoComplete="new-password" required />
          </SimpleGrid>
          {change.error && <ErrorState error={change.error} title={t('The password was not changed')} />}
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              {isFirst ? t('Set password') : t('Change password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
