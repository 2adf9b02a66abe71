import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { FormEvent } from 'react';
import { post } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { OwnPassword } from '../../components/password-input.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { useHasPassword } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';

/** Requests the verification email. Has a form of its own, so it must be rendered outside the profile form. */
export function VerifyAddress({ email }: { email: string }) {
  const [opened, { open, close }] = useDisclosure();
  const hasPassword = useHasPassword();
  const send = useAct({
    mutationFn: (password: string) => post('/api/user/email/verification', { body: hasPassword ? { password } : {} }),
    onSuccess: ({ message }) => {
      notifySuccess(serverText(message));
      close();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    send.mutate(String(new FormData(event.currentTarget).get('password')));
  };
  return (
    <>
      <Button variant="default" mt="md" style={{ alignSelf: 'start' }} onClick={open}>
        {t('Verify your email address')}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('Verify your address')}
        onSubmit={submit}
        act={send}
        failure={t('The email was not sent')}
        submitLabel={t('Send link')}
      >
        <Text size="sm">
          {t('A link will be sent to {email}. Once verified, it can be used to reset your password.', { email })}
        </Text>
        {hasPassword && <OwnPassword data-autofocus />}
      </FormDialog>
    </>
  );
}
