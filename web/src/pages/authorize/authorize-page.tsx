import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useState } from 'react';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { rich, t } from '../../language/words.ts';
import { useNamed } from '../../page-name.ts';
import { useUser } from '../../session.ts';
import { type Asked, decide, leaveTo, loginAgain, readAuthorization } from './authorization.ts';
import { Consent } from './consent.tsx';
import { Refused } from './refused.tsx';

function Waiting() {
  return (
    <CenteredLayout
      title={t('Authorize an application')}
      description={t('This application requests access to your svc account.')}
    >
      <Stack aria-busy="true" role="status" aria-label={t('Loading')}>
        <Skeleton height={48} />
        <Skeleton height={140} />
        <Skeleton height={48} />
        <Skeleton height={42} />
      </Stack>
    </CenteredLayout>
  );
}

function Leaving({ to, name }: { to: string; name?: string }) {
  useEffect(() => leaveTo(to), [to]);
  return (
    <CenteredLayout title={name ? t('Signing in to {name}', { name }) : t('Returning to the application')}>
      <Text size="sm">
        {rich('One moment. <a>Continue</a> if nothing happens.', {
          a: (text) => (
            <Anchor href={to} inherit underline="always">
              {text}
            </Anchor>
          ),
        })}
      </Text>
    </CenteredLayout>
  );
}

/**
 * A verified application whose scopes are all allowed already needs no prompt; needless prompts train users to click
 * through.
 */
const needsNoAnswer = ({ application, has_existing_consent, needs_reconsent, interaction }: Asked): boolean =>
  application.is_verified && has_existing_consent && !needs_reconsent && !interaction;

/** An action run by the visit itself. As a query it runs only once, however often the page is mounted. */
const onVisit = <Data,>(name: string, search: string, act: () => Promise<Data>) => ({
  queryKey: ['authorization', name, search],
  queryFn: act,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  // After a failure the user is asked; the action must not be retried without their knowledge.
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
});

function Known(props: ComponentProps<typeof Consent>) {
  const { asked, search } = props;
  const allow = () => decide(search, { approved: true, spending: null });
  const { data, error } = useQuery(onVisit('allowed before', search, allow));
  if (error) return <Consent {...props} />;
  return data ? <Leaving to={data} name={asked.application.name} /> : <Waiting />;
}

/**
 * The application requires a new login. The current session ends only with that login, because any site can send a
 * browser here.
 */
function LoginAgain({ to }: { to: string }) {
  useEffect(() => window.location.replace(to), [to]);
  return <Waiting />;
}

export function AuthorizePage() {
  const user = useUser();
  // The router rewrites URLs, so keep the query string as the browser first had it.
  const [search] = useState(() => window.location.search);
  const query = useQuery({
    queryKey: ['authorization', user.id, search],
    queryFn: ({ signal }) => readAuthorization(search, signal),
    // Never refetch: that could change the request while the user is deciding on it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  useNamed(query.data && 'asked' in query.data ? query.data.asked.application.name : '');
  if (query.error) return <Refused error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <Waiting />;
  if ('leaveTo' in query.data) return <Leaving to={query.data.leaveTo} />;
  const { asked } = query.data;
  if (asked.interaction === 'login')
    return <LoginAgain to={loginAgain(window.location.pathname, search, asked.signed_in_after ?? '')} />;
  const props = { asked, search, onLoginRequired: () => void query.refetch() };
  return needsNoAnswer(asked) ? <Known {...props} /> : <Consent {...props} />;
}
