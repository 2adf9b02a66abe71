import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { replaceWords } from './channel-fields.ts';
import { type Credential, type CredentialFields, emptyCredential, faultsOf, fieldsOf } from './credential-fields.ts';

interface CredentialFormProps {
  /** Null for a new credential. */
  credential: Credential | null;
  onClose: () => void;
  /** Closes the form on success; errors are shown in the form. */
  onSubmit: (fields: CredentialFields) => Promise<unknown>;
}

/** Mounted only while open. A stored key is never shown again. */
export function CredentialForm({ credential, onClose, onSubmit }: CredentialFormProps) {
  const initial = credential ? fieldsOf(credential) : emptyCredential;
  const check = (given: CredentialFields) => faultsOf(given, credential === null);
  const { text, bind, sending } = useCheckedForm(initial, check, onSubmit);
  const limit = {
    min: 1,
    max: 1_000_000_000,
    allowDecimal: false,
    placeholder: t('No limit'),
  };
  return (
    <FormDialog
      onClose={onClose}
      title={credential ? t('Edit {name}', { name: credential.name }) : t('Add a credential')}
      size="lg"
      {...sending}
      failure={t('The credential was not saved')}
      submitLabel={credential ? t('Save') : t('Add credential')}
    >
      <TextInput
        label={t('Name')}
        description={t('Helps you recognise it later')}
        required
        maxLength={64}
        data-autofocus
        {...text('name')}
      />
      <PasswordInput
        label={t('Key')}
        required={credential === null}
        description={credential ? replaceWords(credential.credential_hint) : t('Stored encrypted, never shown again')}
        placeholder={credential ? t('Leave empty to keep it') : 'sk-…'}
        autoComplete="off"
        {...text('credential')}
      />
      <NumberInput
        label={t('Weight')}
        description={t('Share of requests relative to the other credentials')}
        min={0}
        max={1_000_000}
        {...bind('weight')}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput label={t('Requests per minute')} {...limit} {...bind('requestsPerMinute')} />
        <NumberInput label={t('Tokens per minute')} {...limit} {...bind('tokensPerMinute')} />
        <DollarInput
          label={t('Dollars per day')}
          max={10_000_000}
          placeholder={t('No limit')}
          {...bind('spendPerDay')}
        />
      </SimpleGrid>
    </FormDialog>
  );
}
