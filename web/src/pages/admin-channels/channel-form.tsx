import { NumberInput, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { FormFoot } from '../../components/form-foot.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { type CheckedForm, useCheckedForm } from '../../use-checked-form.ts';
import { type ChannelFaults, type ChannelFields, faultsOf, isMoved, kindOf, kinds } from './channel-fields.ts';

interface ChannelFormProps {
  initial: ChannelFields;
  submitLabel: string;
  /** Describes the stored credential. */
  credentialHint?: string;
  onCancel: () => void;
  onSubmit: (fields: ChannelFields) => Promise<unknown>;
}

type FieldsProps = CheckedForm<ChannelFields, ChannelFaults>;

function RoutingFields({ text, bind }: FieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <NumberInput label={t('Priority')} min={0} max={1_000} allowDecimal={false} {...bind('priority')} />
        <NumberInput label={t('Weight')} min={0} {...bind('weight')} />
        <NumberInput
          label={t('Timeout')}
          suffix={t(' s')}
          min={1}
          max={600}
          decimalScale={3}
          {...bind('timeoutSeconds')}
        />
        <TextInput label={t('Group')} maxLength={64} {...text('group')} />
      </SimpleGrid>
      <TagsInput
        label={t('Models without their own price')}
        description={t(
          'Names are passed on unchanged; free for everyone unless the DefaultModelPrice option sets a price',
        )}
        {...bind('models')}
        splitChars={[',', ' ']}
        clearable
      />
    </>
  );
}

interface CredentialFieldProps extends FieldsProps {
  hint: string | undefined;
  moved: boolean;
}

/** The stored credential is kept only while address, kind and provider stay the same. */
function CredentialField({ hint, moved, fields, text }: CredentialFieldProps) {
  const again = t('Enter the credential again: the stored one is not sent to a new address, kind or provider');
  const { credential, about = t('Stored encrypted, never shown again') } = kindOf(fields.kind);
  return (
    <PasswordInput
      label={t('Credential')}
      required={moved}
      description={moved ? again : (hint ?? about)}
      placeholder={hint && !moved ? t('Leave empty to keep it') : credential}
      autoComplete="off"
      {...text('credential')}
    />
  );
}

/** All settings of a channel except its models' prices. */
export function ChannelForm({ initial, submitLabel, credentialHint, onCancel, onSubmit }: ChannelFormProps) {
  const stored = credentialHint === undefined ? undefined : initial;
  const check = (given: ChannelFields) => faultsOf(given, stored);
  const form = useCheckedForm(initial, check, onSubmit);
  const { fields, set, save, submit, text } = form;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('Name')} required maxLength={64} data-autofocus {...text('name')} />
          <TextInput label={t('Provider')} required maxLength={64} placeholder="my-provider" {...text('provider')} />
          <Select
            label={t('Kind')}
            data={kinds.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            value={fields.kind}
            onChange={(kind) => set({ kind: kind ?? 'openai' })}
          />
          <TextInput
            label={t('Base URL')}
            type="url"
            required={fields.kind !== 'demo'}
            placeholder={kindOf(fields.kind).address}
            {...text('base_url')}
          />
        </SimpleGrid>
        <CredentialField hint={credentialHint} moved={stored !== undefined && isMoved(fields, stored)} {...form} />
        <RoutingFields {...form} />
        <FormFoot act={save} failure={t('The channel was not saved')} submitLabel={submitLabel} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
