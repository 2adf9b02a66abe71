import { Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { OwnPassword } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { addPasskey } from '../../passkeys.ts';
import { useAct } from '../../use-act.ts';
import type { Passkey } from './security-query.ts';

interface PasskeyFormProps {
  /** The passkey to rename; absent when adding one. */
  passkey?: Passkey;
  needsPassword: boolean;
  onClose: () => void;
  onDone: (recoveryCodes?: string[]) => void;
}

export function PasskeyForm({ passkey, needsPassword, onClose, onDone }: PasskeyFormProps) {
  const save = useAct({
    mutationFn: async ({ name, password }: { name: string; password: string }) => {
      if (!passkey) return (await addPasskey(name, password || undefined)).recovery_codes;
      await put('/api/user/passkeys/{id}', { path: { id: passkey.id }, body: { name } });
    },
    onSuccess: onDone,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    save.mutate({ name: String(form.get('name')).trim(), password: String(form.get('password') ?? '') });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={passkey ? t('Rename passkey') : t('New passkey')}
      onSubmit={submit}
      act={save}
      failure={passkey ? t('Not saved') : t('The passkey was not added')}
      submitLabel={passkey ? t('Save') : t('Add')}
    >
      {!passkey && (
        <Text size="sm">
          {t('Your device will ask for your fingerprint, face or PIN. From then on you can log in without a password.')}
        </Text>
      )}
      <TextInput
        name="name"
        label={t('Name')}
        description={t('Name to recognise it by, such as the device')}
        defaultValue={passkey?.name ?? ''}
        maxLength={64}
        required
        data-autofocus
      />
      {!passkey && needsPassword && <OwnPassword />}
    </FormDialog>
  );
}
