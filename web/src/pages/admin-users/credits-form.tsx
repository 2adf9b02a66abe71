import { NumberInput, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { calledOf } from '../../account-name.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatQuota, quotaOfUsd } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { rich, t } from '../../language/words.ts';
import type { User } from '../../session.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

interface CreditsFormProps {
  user: User;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted only while open. */
export function CreditsForm({ user, onClose, onDone }: CreditsFormProps) {
  const [usd, setUsd] = useState<number | string>('');
  const [note, setNote] = useState('');
  const quota = quotaOfUsd(Number(usd));
  const valid = usd !== '' && Number.isSafeInteger(quota) && quota !== 0;
  const post = usePost();
  const grant = useAct({
    mutationFn: () =>
      post('/api/admin/users/{id}/credits', { path: { id: user.id }, body: { quota, note: note.trim() } }),
    onSuccess: async ({ balance_after }) => {
      notifySuccess(t('{username} now has {amount}', { username: calledOf(user), amount: formatQuota(balance_after) }));
      onClose();
      await Promise.all([onDone(), queryClient.invalidateQueries({ queryKey: ['ledger'] })]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) grant.mutate();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Credits for {username}', { username: calledOf(user) })}
      onSubmit={submit}
      act={grant}
      failure={t('The balance was not changed')}
      submitLabel={quota < 0 ? t('Remove credits') : t('Grant credits')}
      disabled={!valid}
    >
      <Text size="sm">
        {rich('Balance now: <b>{amount}</b>', { amount: formatQuota(user.quota), b: (text) => <b>{text}</b> })}
      </Text>
      <NumberInput
        label={t('Amount')}
        description={t('In dollars; a negative amount removes credits')}
        prefix="$"
        decimalScale={6}
        required
        data-autofocus
        value={usd}
        onChange={setUsd}
      />
      <Textarea
        label={t('Note')}
        description={t('Visible to the user in their ledger')}
        maxLength={500}
        autosize
        minRows={2}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {valid ? t('New balance: {amount}', { amount: formatQuota(user.quota + quota) }) : '\u00a0'}
      </Text>
    </FormDialog>
  );
}
