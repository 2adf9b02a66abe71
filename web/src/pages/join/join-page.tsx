import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { rich, t } from '../../language/words.ts';
import { dropLinkToken, keepLinkToken } from '../../link-token.ts';
import { reloadOrganisations } from '../../organisations.ts';
import { currentUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { roleInWords } from '../organisations/organisation-words.ts';

const kept = 'svc-invitation';
const dropInvitation = (): void => dropLinkToken(kept);

/** For signed-out users: log in or register, and return here. */
function SignedOut() {
  const search = { next: '/join' };
  return (
    <CenteredLayout title={t('You are invited')} description={t('An organisation that uses svc has invited you.')}>
      <Stack>
        <Text size="sm">{t('Log in or create an account to see the organisation and join.')}</Text>
        <ButtonLink to="/login" search={search} fullWidth>
          {t('Log in')}
        </ButtonLink>
        <ButtonLink to="/register" search={search} fullWidth variant="default">
          {t('Create an account')}
        </ButtonLink>
      </Stack>
    </CenteredLayout>
  );
}

function Invited({ token, username }: { token: string; username: string }) {
  const navigate = useNavigate();
  const looked = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => post('/api/invitations/look', { body: { token }, signal }),
    retry: false,
  });
  const join = useAct({
    mutationFn: () => post('/api/invitations/accept', { body: { token } }),
    onSuccess: async ({ organisation_id }) => {
      dropInvitation();
      await reloadOrganisations();
      await navigate({ to: '/organisations/$id', params: { id: String(organisation_id) } });
    },
  });
  const leave = (
    <ButtonLink to="/organisations" variant="default" fullWidth onClick={dropInvitation}>
      {t('Not now')}
    </ButtonLink>
  );
  if (looked.error)
    return (
      <CenteredLayout title={t('This invitation cannot be used')}>
        <Stack>
          <ErrorState error={looked.error} onRetry={() => looked.refetch()} />
          {leave}
        </Stack>
      </CenteredLayout>
    );
  if (!looked.data)
    return (
      <CenteredLayout title={t('You are invited')}>
        <Skeleton height={120} aria-busy="true" />
      </CenteredLayout>
    );
  const { organisation, role } = looked.data;
  return (
    <CenteredLayout title={t('You are invited')} description={t('You are logged in as {username}.', { username })}>
      <Stack>
        <Text size="sm" className="svc-anywhere">
          {rich(
            'Join {organisation} as {role}. Its owners and admins can see your username and the usage of your keys there.',
            { organisation: <b dir="auto">{organisation}</b>, role: <b>{roleInWords(role)}</b> },
          )}
        </Text>
        {join.error && <ErrorState error={join.error} title={t('You have not joined')} />}
        <Button fullWidth loading={join.isPending} onClick={() => join.mutate()}>
          {t('Join')}
        </Button>
        {leave}
      </Stack>
    </CenteredLayout>
  );
}

/** The target of invitation links, for signed-in and signed-out users. */
export function JoinPage() {
  const [token] = useState(() => keepLinkToken(kept));
  const user = useQuery({ queryKey: ['who-joins'], queryFn: currentUser, staleTime: 0 });
  if (token === '')
    return (
      <CenteredLayout title={t('This link is not complete')}>
        <Stack>
          <Text size="sm">{t('Open the full link, including everything after the #.')}</Text>
          <ButtonLink to="/" variant="default" fullWidth>
            {t('Go home')}
          </ButtonLink>
        </Stack>
      </CenteredLayout>
    );
  if (user.error)
    return (
      <CenteredLayout title={t('You are invited')}>
        <ErrorState error={user.error} onRetry={() => user.refetch()} />
      </CenteredLayout>
    );
  if (user.data === undefined)
    return (
      <CenteredLayout title={t('You are invited')}>
        <Skeleton height={120} aria-busy="true" />
      </CenteredLayout>
    );
  return user.data ? <Invited token={token} username={user.data.username} /> : <SignedOut />;
}
