import { Stack, Text } from '@mantine/core';
import { BareFrame } from '../../components/bare-frame.tsx';
import { ButtonLink } from '../../components/link.tsx';

/** Where somebody ends who has deleted their account. */
export function GoodbyePage() {
  return (
    <BareFrame title="Your account is deleted" description="Goodbye, and thank you for having been here.">
      <Stack>
        <Text size="sm">
          You are logged out everywhere, and your keys are refused. What belonged to the account is being deleted; that
          is done in a few minutes and goes on by itself.
        </Text>
        <ButtonLink to="/login" variant="default">
          To the login page
        </ButtonLink>
      </Stack>
    </BareFrame>
  );
}
