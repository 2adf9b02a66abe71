import { Select, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { calledOf, isOrganisation } from '../../account-name.ts';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { type User, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { roleNames } from './user-state.ts';

interface UserFormProps {
  user: User;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

const namesOfChanges = ['display_name', 'role', 'group', 'email_verified', 'status'] as const;

/** Mounted only while open. */
export function UserForm({ user, onClose, onDone }: UserFormProps) {
  const self = useUser();
  const [fields, setFields] = useState(user);
  const changes = Object.fromEntries(
    namesOfChanges.filter((name) => fields[name] !== user[name]).map((name) => [name, fields[name]]),
  );
  const save = useAct({
    mutationFn: () => put('/api/admin/users/{id}', { path: { id: user.id }, body: changes }),
    onSuccess: async () => {
      notifySuccess(t('{username} saved', { username: calledOf(user) }));
      onClose();
      await onDone();
    },
  });
  const set = (change: Partial<User>) => setFields({ ...fields, ...change });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  // A user may only grant roles below their own.
  const roles = Object.entries(roleNames).filter(([role]) => Number(role) < self.role);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Edit {name}', { name: calledOf(user) })}
      onSubmit={submit}
      act={save}
      failure={t('The user was not saved')}
      submitLabel={t('Save')}
      disabled={Object.keys(changes).length === 0}
    >
      {!isOrganisation(user) && (
        <TextInput
          label={t('Display name')}
          maxLength={64}
          value={fields.display_name}
          onChange={(event) => set({ display_name: event.currentTarget.value })}
        />
      )}
      <Select
        label={t('Role')}
        data={roles.map(([value, label]) => ({ value, label }))}
        value={String(fields.role)}
        allowDeselect={false}
        onChange={(role) => set({ role: Number(role ?? fields.role) })}
      />
      <TextInput
        label={t('Group')}
        description={t('Letters, digits, dots, dashes and underscores')}
        maxLength={64}
        value={fields.group}
        onChange={(event) => set({ group: event.currentTarget.value })}
      />
      <Switch
        label={t('Email verified')}
        description={user.email || t('No email address')}
        checked={fields.email_verified}
        onChange={(event) => set({ email_verified: event.currentTarget.checked })}
      />
      <Switch
        label={t('Enabled')}
        description={t(
          'A disabled user is logged out everywhere, their keys are refused, and their applications stop working',
        )}
        checked={fields.status === 1}
        onChange={(event) => set({ status: event.currentTarget.checked ? 1 : 2 })}
      />
    </FormDialog>
  );
}
