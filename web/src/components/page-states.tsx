import { Container, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { ApiError } from '../api.ts';
import { useHeadingFocus } from '../heading-focus.ts';
import { t } from '../language/words.ts';
import { retryDelayMs } from '../retry-queries.ts';
import { ErrorState } from './error-state.tsx';
import { ButtonLink } from './link.tsx';

/** Also used inside the shell, for a page that exists but is not open to this user. */
export function NotFound() {
  const heading = useHeadingFocus();
  return (
    <Stack align="center" py={96} px="md" ta="center" gap="xs">
      <Text c="dimmed" fw={600}>
        404
      </Text>
      <Title order={1} ref={heading} tabIndex={-1} className="svc-heading">
        {t('This page does not exist')}
      </Title>
      <Text c="dimmed" maw="28rem">
        {t('The address may be wrong, or your account may not have access to this page.')}
      </Text>
      <ButtonLink to="/" mt="md">
        {t('Go home')}
      </ButtonLink>
    </Stack>
  );
}

/** Placeholder while a page's script loads. */
export function Pending() {
  return (
    <Stack p="lg" aria-busy="true" role="status" aria-label={t('Loading')}>
      <Skeleton height={28} width="14rem" />
      <Skeleton height={120} />
    </Stack>
  );
}

/** Shown if a page fails to load or throws. Transient failures are retried, also as soon as the network is back. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const ask = useCallback(() => void router.invalidate(), [router]);
  useEffect(() => {
    const wait = retryDelayMs(error, 0);
    const timer = wait === null ? undefined : setTimeout(ask, wait);
    window.addEventListener('online', ask);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', ask);
    };
  }, [ask, error]);
  // A reload also helps if the page's script is gone because a new version was deployed. Offline, or while the service
  // is down, it would only lose the app: retry inside it instead.
  const retry = () => (navigator.onLine && !(error instanceof ApiError) ? window.location.reload() : ask());
  return (
    <Container size="xs" py="xl" component="main">
      <ErrorState error={error} title={t('This page could not be shown')} onRetry={retry} />
    </Container>
  );
}
