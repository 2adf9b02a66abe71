import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';

export function ForgotPasswordPage() {
  const ask = useAct({ mutationFn: (email: string) => post('/api/user/password/forgot', { body: { email } }) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    ask.mutate(String(new FormData(event.currentTarget).get('email')).trim());
  };
  const footer = (
    <AnchorLink to="/login" underline="always">
      {t('Back to login')}
    </AnchorLink>
  );
  if (ask.isSuccess)
    return (
      <CenteredLayout title={t('Check your email')} footer={footer}>
        <Text>{t('{message} The link is valid for 30 minutes.', { message: serverText(ask.data.message) })}</Text>
      </CenteredLayout>
    );
  return (
    <CenteredLayout title={t('Forgot your password?')} footer={footer}>
      <form onSubmit={submit}>
        <Stack>
          {ask.error && <ErrorState error={ask.error} title={t('The email was not sent')} />}
          <TextInput
            name="email"
            type="email"
            label={t('Email')}
            description={t('Enter your verified email address. We will send a link to reset your password.')}
            autoComplete="email"
            required
            autoFocus
          />
          <Button type="submit" fullWidth loading={ask.isPending}>
            {t('Send link')}
          </Button>
        </Stack>
      </form>
    </CenteredLayout>
  );
}
