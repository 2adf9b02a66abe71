import { Stack, Text } from '@mantine/core';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';

/** Shown after a user has deleted their account. */
export function GoodbyePage() {
  return (
    <CenteredLayout
      title={t('Your account is deleted')}
      description={t('Goodbye, and thank you for having been here.')}
    >
      <Stack>
        <Text size="sm">
          {t(
            'You are logged out everywhere, and your keys are refused. What belonged to the account is being deleted; that is done in a few minutes and goes on by itself.',
          )}
        </Text>
        <ButtonLink to="/login" variant="default">
          {t('Go to login page')}
        </ButtonLink>
      </Stack>
    </CenteredLayout>
  );
}
