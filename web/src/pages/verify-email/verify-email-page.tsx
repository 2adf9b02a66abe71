import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { post } from '../../api.ts';
import { BareFrame } from '../../components/bare-frame.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
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
      <BareFrame title="Your address is verified">
        <ButtonLink to="/account" fullWidth>
          To your account
        </ButtonLink>
      </BareFrame>
    );
  return (
    <BareFrame title="Verify your address">
      <Stack>
        {verify.error && <ErrorState error={verify.error} title="The address was not verified" />}
        {token ? (
          <Button fullWidth loading={verify.isPending} onClick={() => verify.mutate()}>
            This address is mine
          </Button>
        ) : (
          <Text>This link is not complete. Open it as it stands in the mail.</Text>
        )}
      </Stack>
    </BareFrame>
  );
}
