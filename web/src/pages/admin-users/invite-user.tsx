import { Select, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { post } from '../../api.ts';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { quotaOfUsd } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { roleNames } from './user-state.ts';

interface InviteUserProps {
  onClose: () => void;
  /** Called with the link to hand over, or null if it was emailed. */
  onDone: (url: string | null) => void;
}

type Role = 1 | 10;

/** A million dollars: a larger amount is probably a typo. */
const mostUsd = 1_000_000;

export function InviteUser({ onClose, onDone }: InviteUserProps) {
  const self = useUser();
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>(1);
  const [usd, setUsd] = useState<number | string>('');
  const invite = useAct({
    mutationFn: () =>
      post('/api/admin/invitations', {
        body: {
          username: username.trim(),
          email: email.trim(),
          role,
          ...(usd !== '' && { quota: quotaOfUsd(Number(usd)) }),
        },
      }),
    onSuccess: ({ url, user }) => {
      if (url === null) notifySuccess(t('The invitation was sent to {email}', { email: user.email }));
      onDone(url);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    invite.mutate();
  };
  const roles = Object.entries(roleNames).filter(([given]) => Number(given) < self.role);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Invite user')}
      onSubmit={submit}
      act={invite}
      failure={t('The invitation was not sent')}
      submitLabel={t('Invite')}
    >
      <Text size="sm">
        {t(
          'The account is created now. Its owner sets the password with a link that works once and is valid for 7 days. The link is emailed if the service can send mail; otherwise it is shown to you.',
        )}
      </Text>
      <TextInput
        label={t('Username')}
        description={t('3 to 32 letters, digits, dots, dashes and underscores')}
        autoCapitalize="none"
        autoComplete="off"
        maxLength={32}
        required
        data-autofocus
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <TextInput
        type="email"
        label={t('Email')}
        description={t('Optional')}
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {roles.length > 1 && (
        <Select
          label={t('Role')}
          data={roles.map(([value, label]) => ({ value, label }))}
          value={String(role)}
          allowDeselect={false}
          onChange={(given) => setRole(Number(given ?? role) as Role)}
        />
      )}
      <DollarInput
        label={t('Initial credits')}
        description={t('In dollars; leave empty for the default of new users')}
        max={mostUsd}
        value={usd}
        onChange={setUsd}
      />
    </FormDialog>
  );
}
