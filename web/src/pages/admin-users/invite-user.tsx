import { Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { post } from '../../api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { useAct } from '../../use-act.ts';

interface InviteUserProps {
  onClose: () => void;
  /** With the link to hand over, or null where it was mailed. */
  onDone: (url: string | null) => void;
}

export function InviteUser({ onClose, onDone }: InviteUserProps) {
  const invite = useAct({
    mutationFn: (body: { username: string; email: string }) => post('/api/admin/invitations', { body }),
    onSuccess: ({ url, user }) => {
      if (url === null) notifySuccess(`The invitation was mailed to ${user.email}`);
      onDone(url);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [username, email] = ['username', 'email'].map((name) => String(form.get(name)).trim()) as [string, string];
    invite.mutate({ username, email });
  };
  return (
    <Dialog opened onClose={onClose} title="Invite somebody">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            The account is made now. Its owner chooses the password with a link, which is mailed where the service can
            send mail, and else shown to you.
          </Text>
          <TextInput
            name="username"
            label="Username"
            autoCapitalize="none"
            autoComplete="off"
            required
            data-autofocus
          />
          <TextInput name="email" type="email" label="Email" description="Optional" autoComplete="off" />
          <FormFoot act={invite} failure="Nobody was invited" submitLabel="Invite" onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
