import { Stack, Text } from '@mantine/core';
import { ApiError } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';

const reasons: Record<number, string> = {
  400: t('The link you followed is not registered by the application, is incomplete, or has expired.'),
  403: t('This application cannot request access at the moment.'),
  404: t('No application with this client ID is registered.'),
};

/** The error is shown here only: an untrusted redirect address must not receive even an error (RFC 6749 §4.1.2.1). */
export function Refused({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const status = error instanceof ApiError ? error.status : 0;
  const reason = reasons[status];
  return (
    <CenteredLayout title={t('This request cannot be processed')}>
      <Stack>
        <ErrorState
          error={error}
          title={reason ? t('Not a valid authorization request') : undefined}
          onRetry={reason ? undefined : onRetry}
        />
        {reason && (
          <Text size="sm" c="dimmed">
            {t(
              '{reason} Nothing was shared, and you were not redirected back. If you trust the application, tell its developers.',
              { reason },
            )}
          </Text>
        )}
        <ButtonLink to="/" variant="default">
          {t('Go home')}
        </ButtonLink>
      </Stack>
    </CenteredLayout>
  );
}
