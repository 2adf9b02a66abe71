import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink, ButtonLink } from '../../components/link.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { dropLinkToken, keepLinkToken } from '../../link-token.ts';
import { forgetUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';

const kept = 'svc-reset';

/**
 * Target of the links sent by mail or created by administrators. Invited users set their first password here as well.
 */
export function ResetPasswordPage() {
  const [token] = useState(() => keepLinkToken(kept));
  const [fault, setFault] = useState<string | null>(null);
  const reset = useAct({
    mutationFn: (password: string) => post('/api/user/password/reset', { body: { token, password } }),
    // A reset ends all sessions, possibly including this browser's.
    onSuccess: () => {
      dropLinkToken(kept);
      forgetUser();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get('password'));
    const short = password.length < 8 || password.length > 128;
    const found = short
      ? t('Use 8 to 128 characters.')
      : password === form.get('repeated')
        ? null
        : t('The passwords do not match.');
    setFault(found);
    if (!found) reset.mutate(password);
  };
  if (!token)
    return (
      <CenteredLayout title={t('This link is not complete')}>
        <Text>{t('Open the full link from the email, or request a new one.')}</Text>
        <AnchorLink to="/forgot-password" underline="always">
          {t('Request a new link')}
        </AnchorLink>
      </CenteredLayout>
    );
  if (reset.isSuccess)
    return (
      <CenteredLayout title={t('Your password has been changed')} description={t('Every device has been logged out.')}>
        <ButtonLink to="/login" fullWidth>
          {t('Log in')}
        </ButtonLink>
      </CenteredLayout>
    );
  return (
    <CenteredLayout title={t('Choose a password')}>
      <form onSubmit={submit}>
        <Stack>
          {reset.error && <ErrorState error={reset.error} title={t('The password was not changed')} />}
          <PasswordInput
            name="password"
            label={t('New password')}
            description={t('At least 8 characters')}
            autoComplete="new-password"
            required
            autoFocus
            error={fault}
          />
          <PasswordInput name="repeated" label={t('Confirm new password')} autoComplete="new-password" required />
          <Button type="submit" fullWidth loading={reset.isPending}>
            {t('Save')}
          </Button>
        </Stack>
      </form>
    </CenteredLayout>
  );
}
