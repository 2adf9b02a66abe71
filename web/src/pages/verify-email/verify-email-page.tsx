import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { post } from '../../api.ts';
import { BareFrame } from '../../components/bare-frame.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { takeLinkToken } from '../../link-token.ts';
import { queryClient, selfQuery } from '../../session.ts';
import { useAct } from '../../use-act.ts';

/** A button, not the visit itself: programs that look into mails visit links too. */
export function VerifyEmailPage() {
  const [token] = useState(takeLinkToken);
  const verify = useAct({
    mutationFn: () => post('/api/user/email/verify', { body: { token } }),
    onSuccess: () => queryClient.invalidateQueries(selfQuery),
  });
  if (verify.isSuccess)
    return (
      <BareFrame title={t('Your address is verified')}>
        <ButtonLink to="/account" fullWidth>
          {t('To your account')}
        </ButtonLink>
      </BareFrame>
    );
  return (
    <BareFrame title={t('Verify your address')}>
      <Stack>
        {verify.error && <ErrorState error={verify.error} title={t('The address was not verified')} />}
        {token ? (
          <Button fullWidth loading={verify.isPending} onClick={() => verify.mutate()}>
            {t('This address is mine')}
          </Button>
        ) : (
          <>
            <Text>{t('This link is not complete. Open it as it stands in the mail.')}</Text>
            <ButtonLink to="/" variant="default" fullWidth>
              {t('Go home')}
            </ButtonLink>
          </>
        )}
      </Stack>
    </BareFrame>
  );
}
