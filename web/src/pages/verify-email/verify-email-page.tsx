import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { dropLinkToken, keepLinkToken } from '../../link-token.ts';
import { currentUser, queryClient, selfQuery } from '../../session.ts';
import { useAct } from '../../use-act.ts';

const kept = 'svc-verification';

/** Requires a login, so that it is known which account gets the address: anyone could have entered it. */
function SignedOut() {
  return (
    <Stack>
      <Text size="sm">
        {t(
          'Log in to the account that should use this address. If you have no account here, someone else entered your address; close this page.',
        )}
      </Text>
      <ButtonLink to="/login" search={{ next: '/verify-email' }} fullWidth>
        {t('Log in')}
      </ButtonLink>
    </Stack>
  );
}

/** Requires a click, because mail scanners open links too. */
function Asked({ token, username }: { token: string; username: string }) {
  const verify = useAct({
    mutationFn: () => post('/api/user/email/verify', { body: { token } }),
    onSuccess: () => {
      dropLinkToken(kept);
      return queryClient.invalidateQueries(selfQuery);
    },
  });
  if (verify.isSuccess)
    return (
      <CenteredLayout title={t('Your address is verified')}>
        <ButtonLink to="/account" fullWidth>
          {t('Go to your account')}
        </ButtonLink>
      </CenteredLayout>
    );
  return (
    <CenteredLayout title={t('Verify your address')} description={t('You are logged in as {username}.', { username })}>
      <Stack>
        {verify.error && <ErrorState error={verify.error} title={t('The address was not verified')} />}
        <Button fullWidth loading={verify.isPending} onClick={() => verify.mutate()}>
          {t('Confirm my address')}
        </Button>
      </Stack>
    </CenteredLayout>
  );
}

export function VerifyEmailPage() {
  const [token] = useState(() => keepLinkToken(kept));
  const user = useQuery({ queryKey: ['who-verifies'], queryFn: currentUser, staleTime: 0 });
  if (token && user.data) return <Asked token={token} username={user.data.username} />;
  return (
    <CenteredLayout title={t('Verify your address')}>
      {!token ? (
        <Stack>
          <Text>{t('This link is not complete. Open the full link from the email.')}</Text>
          <ButtonLink to="/" variant="default" fullWidth>
            {t('Go home')}
          </ButtonLink>
        </Stack>
      ) : user.error ? (
        <ErrorState error={user.error} onRetry={() => user.refetch()} />
      ) : user.data === undefined ? (
        <Skeleton height={120} aria-busy="true" />
      ) : (
        <SignedOut />
      )}
    </CenteredLayout>
  );
}
