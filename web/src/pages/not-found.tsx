import { Stack, Text, Title } from '@mantine/core';
import { ButtonLink } from '../components/link.tsx';
import { useHeadingFocus } from '../heading-focus.ts';

/** Also inside the frame, where a page exists but not for this user. */
export function NotFound() {
  const heading = useHeadingFocus();
  return (
    <Stack align="center" py={96} px="md" ta="center" gap="xs">
      <Text c="dimmed" fw={600}>
        404
      </Text>
      <Title order={1} ref={heading} tabIndex={-1} className="svc-heading">
        This page does not exist
      </Title>
      <Text c="dimmed" maw="28rem">
        The address may be mistyped, or the page may not be open to your account.
      </Text>
      <ButtonLink to="/" mt="md">
        Go home
      </ButtonLink>
    </Stack>
  );
}

export function NotFoundPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}
