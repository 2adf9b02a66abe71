import { Button } from '@mantine/core';
import { post } from '../../api.ts';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useAct } from '../../use-act.ts';

/** Asks for the mail with the link. */
export function VerifyAddress() {
  const send = useAct({
    mutationFn: () => post('/api/user/email/verification'),
    onSuccess: ({ message }) => notifySuccess(message),
    onError: notifyError,
  });
  return (
    <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
      Verify the address
    </Button>
  );
}
