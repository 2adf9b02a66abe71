import { Select, Switch, TextInput } from '@mantine/core';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import type { NewOwnKey, OwnKey } from './own-keys-api.ts';

interface OwnKeyFormProps {
  /** Null when a new key is added. */
  ownKey: OwnKey | null;
  /** The providers to choose from. */
  providers: string[];
  onClose: () => void;
  /** The form closes on success; an error is shown in the form. */
  onSubmit: (fields: NewOwnKey) => Promise<unknown>;
}

type Faults = Partial<Record<'provider' | 'name' | 'credential', string>>;

function faultsOf({ provider, name, credential }: NewOwnKey, isNew: boolean): Faults {
  const faults: Faults = {};
  if (provider === '') faults.provider = t('Choose the provider of the key.');
  if (name.trim() === '') faults.name = t('Enter a name.');
  if (isNew && credential.trim() === '') faults.credential = t('Enter the key.');
  if (/\s/.test(credential.trim())) faults.credential = t('A key cannot contain spaces.');
  return faults;
}

/** Mounted only while the dialog is open. A stored key is never shown again. */
export function OwnKeyForm({ ownKey, providers, onClose, onSubmit }: OwnKeyFormProps) {
  const [only] = providers.length === 1 ? providers : [];
  const initial: NewOwnKey = ownKey
    ? { provider: ownKey.provider, name: ownKey.name, credential: '', fallback: ownKey.fallback }
    : { provider: only ?? '', name: '', credential: '', fallback: false };
  const { fields, faults, set, text, toggle, sending } = useCheckedForm(
    initial,
    (given) => faultsOf(given, ownKey === null),
    onSubmit,
  );
  const hint = ownKey?.credential_hint;
  const stored = hint
    ? t('Stored: {hint}. Enter a new key to replace it.', { hint })
    : t('Stored. Enter a new key to replace it.');
  return (
    <FormDialog
      onClose={onClose}
      title={ownKey ? t('Edit {name}', { name: ownKey.name }) : t('Add a provider key')}
      {...sending}
      failure={t('The key was not saved')}
      submitLabel={ownKey ? t('Save') : t('Add and test')}
    >
      <Select
        label={t('Provider')}
        required
        searchable
        disabled={ownKey !== null}
        data={[...new Set([...providers, ...(ownKey ? [ownKey.provider] : [])])]}
        data-autofocus={initial.provider === '' || undefined}
        value={fields.provider || null}
        onChange={(provider) => set({ provider: provider ?? '' })}
        error={faults.provider}
      />
      <TextInput
        label={t('Name')}
        description={t('Helps you recognise it later')}
        required
        maxLength={64}
        data-autofocus={initial.provider !== '' || undefined}
        {...text('name')}
      />
      <PasswordInput
        label={t('Key')}
        required={ownKey === null}
        description={ownKey ? stored : t('Stored encrypted, never shown again')}
        placeholder={ownKey ? t('Leave empty to keep it') : 'sk-…'}
        autoComplete="off"
        {...text('credential')}
      />
      <Switch
        label={t('Fall back to other channels when this key fails')}
        description={t('Fallback requests are charged at full price. When off, only this key is used')}
        {...toggle('fallback')}
      />
    </FormDialog>
  );
}
