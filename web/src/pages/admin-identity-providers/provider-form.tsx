import { Anchor, Select, SimpleGrid, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { faultsOf, type ProviderFields, presets, withPreset } from './provider-fields.ts';

interface ProviderFormProps {
  initial: ProviderFields;
  /** Set for an existing provider, whose immutable fields are locked; tells whether a secret is stored. */
  stored?: { hasSecret: boolean };
  submitLabel: string;
  onCancel: () => void;
  onSubmit: (fields: ProviderFields) => Promise<unknown>;
}

export function ProviderForm({ initial, stored, submitLabel, onCancel, onSubmit }: ProviderFormProps) {
  const { fields, set, save, submit, text, bind, toggle } = useCheckedForm(initial, faultsOf, onSubmit);
  const console = presets.find(({ value }) => value === fields.preset)?.console;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {!stored && (
          <Select
            label={t('Provider')}
            data={presets.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            value={fields.preset}
            onChange={(value) => set(withPreset(fields, value ?? 'custom'))}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('Name')}
            required
            maxLength={64}
            description={t('Shown on the sign-in button')}
            {...text('name')}
          />
          <TextInput
            label={t('Short name')}
            required
            maxLength={32}
            description={t('Used in addresses; cannot be changed later')}
            disabled={stored !== undefined}
            {...text('slug')}
          />
          <TextInput
            label={t('Issuer')}
            type="url"
            required
            placeholder="https://login.example.com"
            {...text('issuer')}
          />
          <TextInput label={t('Scopes')} {...text('scopes')} />
          <TextInput label={t('Client ID')} required autoComplete="off" {...text('clientId')} />
          <PasswordInput
            label={t('Client secret')}
            autoComplete="off"
            placeholder={stored?.hasSecret ? t('Stored; leave empty to keep it') : undefined}
            {...text('clientSecret')}
          />
        </SimpleGrid>
        {fields.slug !== '' && (
          <CopyField
            label={t('Callback address')}
            description={t('Register this address with the provider')}
            value={`${window.location.origin}/api/auth/${fields.slug}/callback`}
          />
        )}
        {console && (
          <Anchor href={console} target="_blank" rel="noreferrer" size="sm" underline="always">
            {t('Register a client')}
          </Anchor>
        )}
        <Switch label={t('Create accounts for users who have none')} {...toggle('allowSignUp')} />
        <Switch
          label={t('Trust email addresses as verified')}
          description={t(
            'Enable only if the provider verifies addresses: a false address could give access to another user’s account',
          )}
          {...toggle('trustEmail')}
        />
        <TagsInput
          label={t('Email domains')}
          description={t('Allow only verified email addresses of these domains; empty allows everyone')}
          placeholder="example.com"
          {...bind('emailDomains')}
          splitChars={[',', ' ']}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('Groups claim')}
            description={t('For example groups or realm_access.roles')}
            {...text('roleClaim')}
          />
          <Textarea
            label={t('Role mapping')}
            description={t('One per line: group = administrator; applied at every sign-in')}
            autosize
            minRows={1}
            {...text('roleMap')}
          />
        </SimpleGrid>
        {fields.kind === 'openid' && (
          <Switch
            label={t('Assert user identity to MCP servers')}
            description={t(
              'Stores the tokens of each sign-in, encrypted; turning it off deletes them, and everyone must sign in again',
            )}
            {...toggle('vouches')}
          />
        )}
        <FormFoot act={save} failure={t('The provider was not saved')} submitLabel={submitLabel} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
