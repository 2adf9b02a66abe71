import { NumberInput, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatQuota, quotaOfUsd } from '../../format.ts';
import { usePost } from '../../once.ts';
import type { User } from '../../session.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';

interface CreditsFormProps {
  user: User;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted while it is open. */
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
      notifySuccess(`${user.username} now has ${formatQuota(balance_after)}`);
      onClose();
      await Promise.all([onDone(), queryClient.invalidateQueries({ queryKey: ['ledger'] })]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) grant.mutate();
  };
  return (
    <Dialog opened onClose={onClose} title={`Credits for ${user.username}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Balance now: <b>{formatQuota(user.quota)}</b>
          </Text>
          <NumberInput
            label="Amount"
            description="In dollars; a negative amount takes credits back"
            prefix="$"
            decimalScale={6}
            thousandSeparator
            required
            data-autofocus
            value={usd}
            onChange={setUsd}
          />
          <Textarea
            label="Note"
            description="The user sees it in their ledger"
            maxLength={500}
            autosize
            minRows={2}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <Text size="sm" c="dimmed" aria-live="polite">
            {valid ? `Balance afterwards: ${formatQuota(user.quota + quota)}` : '\u00a0'}
          </Text>
          <FormFoot
            act={grant}
            failure="The balance was not changed"
            submitLabel={quota < 0 ? 'Take back' : 'Give credits'}
            onCancel={onClose}
            disabled={!valid}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
