import { Container, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { ApiError } from '../api.ts';
import { waitMs } from '../ask-again.ts';
import { useHeadingFocus } from '../heading-focus.ts';
import { t } from '../language/words.ts';
import { ErrorState } from './error-state.tsx';
import { ButtonLink } from './link.tsx';

/** Also inside the frame, where a page exists but not for this user. */
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
        {t('The address may be mistyped, or the page may not be open to your account.')}
      </Text>
      <ButtonLink to="/" mt="md">
        {t('Go home')}
      </ButtonLink>
    </Stack>
  );
}

/** Stands where a page will be while its script loads. */
export function Pending() {
  return (
    <Stack p="lg" aria-busy="true" role="status" aria-label={t('Loading')}>
      <Skeleton height={28} width="14rem" />
      <Skeleton height={120} />
    </Stack>
  );
}

/** A page that could not be opened, or broke. One that did not come for want of a network comes when that is back. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const ask = useCallback(() => void router.invalidate(), [router]);
  useEffect(() => {
    const wait = waitMs(error, 0);
    const timer = wait === null ? undefined : setTimeout(ask, wait);
    window.addEventListener('online', ask);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', ask);
    };
  }, [ask, error]);
  // A fresh load also helps when the page's script is gone because a new version was installed meanwhile; without a network
  // it would leave nothing of the app, nor while the service is away.
  const retry = () => (navigator.onLine && !(error instanceof ApiError) ? window.location.reload() : ask());
  return (
    <Container size="xs" py="xl" component="main">
      <ErrorState error={error} title={t('This page could not be shown')} onRetry={retry} />
    </Container>
  );
}
