import { Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { SpendingFields } from '../../components/spending-fields.tsx';
import { formatQuota } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { entryOf, spendingOf } from '../../spending.ts';
import { useAct } from '../../use-act.ts';
import type { Consent } from './consent.ts';

interface LimitFormProps {
  consent: Consent;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted only while open. */
export function LimitForm({ consent, onClose, onDone }: LimitFormProps) {
  const { application_id, app_name, spending_limit = 0, spending_window = 'total', spent = 0 } = consent;
  const [entry, setEntry] = useState(entryOf({ limit: spending_limit, window: spending_window }));
  const body = spendingOf(entry);
  const save = useAct({
    mutationFn: (given: NonNullable<typeof body>) =>
      put('/api/oauth2/consents/{application_id}', { path: { application_id }, body: given }),
    onSuccess: async ({ spending_limit: limit }) => {
      notifySuccess(t('{appName} may spend {limit}', { appName: app_name, limit: formatQuota(limit) }));
      onClose();
      await onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body) save.mutate(body);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Spending limit of {appName}', { appName: app_name })}
      onSubmit={submit}
      noValidate
      act={save}
      failure={t('The limit was not changed')}
      submitLabel={t('Save')}
      disabled={!body}
    >
      <Text size="sm">
        {spending_window === 'month'
          ? rich('Spent this month: {amount}', { amount: <b>{formatQuota(spent)}</b> })
          : rich('Spent so far: {amount}', { amount: <b>{formatQuota(spent)}</b> })}
      </Text>
      <SpendingFields value={entry} onChange={setEntry} error={body ? undefined : t('Enter an amount')} />
    </FormDialog>
  );
}
