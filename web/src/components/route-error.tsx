import { Container } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from './error-state.tsx';

/** A page that could not be opened, or broke. */
export function RouteError({ error }: ErrorComponentProps) {
  // A fresh load also helps when the page's script is gone because a new version was installed meanwhile.
  const retry = () => window.location.reload();
  return (
    <Container size="xs" py="xl" component="main">
      <ErrorState error={error} title="This page could not be shown" onRetry={retry} />
    </Container>
  );
}
