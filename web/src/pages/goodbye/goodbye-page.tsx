import { Stack, Text } from '@mantine/core';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';

/** Shown after a user has deleted their account. */
export function GoodbyePage() {
  return (
    <CenteredLayout title={t('Your account has been deleted')} description={t('Goodbye, and thank you for using svc.')}>
      <Stack>
        <Text size="sm">
          {t(
            'You are logged out on all devices, and your keys no longer work. The account’s data is being deleted; this finishes automatically in a few minutes.',
          )}
        </Text>
        <ButtonLink to="/login" variant="default">
          {t('Go to login page')}
        </ButtonLink>
      </Stack>
    </CenteredLayout>
  );
}
