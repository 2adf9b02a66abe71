import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorState } from './error-state.tsx';

/** A page that could not be opened, or broke. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    router.invalidate();
  };
  return (
    <Container size="xs" py="xl" component="main">
      <ErrorState error={error} title="This page could not be shown" onRetry={retry} />
    </Container>
  );
}
