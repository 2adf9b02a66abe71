import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError, get, post, type Result } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { WayButtons } from '../../components/sign-in-ways.tsx';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { safeNext } from '../../search-params.ts';
import { forgetUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';

type Pending = Result<'/api/auth/link', 'get'>;

function LinkForm({ link, pending }: { link: string; pending: Pending }) {
  const router = useRouter();
  const [password, setPassword] = useState('');
  const asks = !pending.logged_in && pending.has_password && !pending.second_factor;
  const here = `/link-account?${new URLSearchParams({ link })}`;
  const connect = useAct({
    mutationFn: () => post('/api/auth/link', { body: { link, ...(asks && { password }) } }),
    onSuccess: ({ return_to }) => {
      forgetUser();
      router.history.push(safeNext(return_to, window.location.origin));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connect.mutate();
  };
  const wrong =
    connect.error instanceof ApiError && connect.error.status === 400 ? serverText(connect.error.message) : undefined;
  const named = {
    username: pending.username,
    address: pending.account,
    provider: pending.provider.name,
    b: (text: ReactNode) => <b>{text}</b>,
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" className="svc-anywhere">
          {pending.logged_in
            ? rich(
                'The account <b>{username}</b> uses the address {address}. Connect it to sign in with {provider} from now on.',
                named,
              )
            : rich(
                'The account <b>{username}</b> uses the address {address}. Confirm that it is yours to sign in with {provider} from now on.',
                named,
              )}
        </Text>
        {connect.error && !wrong && <ErrorState error={connect.error} title={t('The account was not connected')} />}
        {asks && (
          <PasswordInput
            label={t('Password of {username}', { username: pending.username })}
            autoComplete="current-password"
            required
            autoFocus
            value={password}
            error={wrong}
            errorProps={{ role: 'alert' }}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        {(asks || pending.logged_in) && (
          <Button type="submit" fullWidth loading={connect.isPending}>
            {t('Connect##an account')}
          </Button>
        )}
        {!pending.logged_in && pending.second_factor && (
          <AnchorLink to="/login" search={{ next: here }} underline="always">
            {t('Log in as {username} first', { username: pending.username })}
          </AnchorLink>
        )}
        {!pending.logged_in && <WayButtons ways={pending.other_ways} returnTo={here} />}
      </Stack>
    </form>
  );
}

/** For a user who signed in through a provider with the email address of an existing account. */
export function LinkAccountPage() {
  const { link } = useSearch({ strict: false }) as { link?: string };
  const query = useQuery({
    queryKey: ['pending-link', link],
    queryFn: ({ signal }) => get('/api/auth/link', { query: { link: link ?? '' }, signal }),
    enabled: Boolean(link),
  });
  const footer = (
    <AnchorLink to="/login" search={query.data ? { next: query.data.return_to } : {}} underline="always">
      {t('Sign in another way')}
    </AnchorLink>
  );
  return (
    <CenteredLayout title={t('Connect your account')} footer={footer}>
      {!link && <ErrorState error={t('This link is not complete')} title={t('No account to connect')} />}
      {query.error && <ErrorState error={query.error} title={t('No account to connect')} />}
      {query.data && <LinkForm link={link ?? ''} pending={query.data} />}
    </CenteredLayout>
  );
}
