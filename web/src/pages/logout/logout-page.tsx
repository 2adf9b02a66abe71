import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { parseSearch } from '../../search-params.ts';
import { currentUser, forgetUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { leaveTo } from '../authorize/authorization.ts';

const names = ['client_id', 'post_logout_redirect_uri', 'state'];

function LoggedOut() {
  return (
    <CenteredLayout title={t('You are logged out')}>
      <ButtonLink to="/login" variant="default">
        {t('Go to login page')}
      </ButtonLink>
    </CenteredLayout>
  );
}

function Question({ search }: { search: string }) {
  const given = parseSearch(search);
  const body = Object.fromEntries(names.filter((name) => name in given).map((name) => [name, String(given[name])]));
  const logOut = useAct({
    mutationFn: () => post('/api/oauth2/end_session/confirm', { body }),
    onSuccess: ({ redirect_url }) => {
      forgetUser();
      // The service validates this against the application's registered addresses; it is never taken from the page's
      // URL.
      if (redirect_url) leaveTo(redirect_url);
    },
    onError: (error) => {
      // Logged out elsewhere meanwhile, or somebody else logged in: what to do then is decided anew.
      if (error instanceof ApiError && error.status === 401)
        window.location.replace(`/api/oauth2/end_session?${new URLSearchParams(body)}`);
    },
  });
  if (logOut.isSuccess) return <LoggedOut />;
  return (
    <CenteredLayout title={t('Log out of svc?')} description={t('An application requested it.')}>
      <Stack>
        <Text size="sm">
          {t('You will be logged out here, and applications that you signed in to from here are notified.')}
        </Text>
        {logOut.error && <ErrorState error={logOut.error} title={t('You are still logged in')} />}
        <Group grow preventGrowOverflow={false}>
          <ButtonLink to="/" variant="default">
            {t('Stay logged in')}
          </ButtonLink>
          <Button loading={logOut.isPending} onClick={() => logOut.mutate()}>
            {t('Log out')}
          </Button>
        </Group>
      </Stack>
    </CenteredLayout>
  );
}

/** Where applications send users who log out (`end_session`). */
export function LogoutPage() {
  const [search] = useState(() => window.location.search);
  const asked = parseSearch(search).ask === 'yes';
  const user = useQuery({ queryKey: ['logout', 'self'], queryFn: currentUser, enabled: asked, gcTime: 0 });
  if (asked && user.isPending)
    return (
      <CenteredLayout title={t('Log out of svc')}>
        <Text size="sm">{t('One moment.')}</Text>
      </CenteredLayout>
    );
  return asked && user.data ? <Question search={search} /> : <LoggedOut />;
}
