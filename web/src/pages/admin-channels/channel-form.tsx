import { NumberInput, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { FormFoot } from '../../components/form-foot.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { type ChannelFaults, type ChannelFields, faultsOf, isMoved, kindOf, kinds } from './channel-fields.ts';

interface ChannelFormProps {
  initial: ChannelFields;
  submitLabel: string;
  /** Describes the stored credential. */
  credentialHint?: string;
  onCancel: () => void;
  onSubmit: (fields: ChannelFields) => Promise<unknown>;
}

interface FieldsProps {
  fields: ChannelFields;
  faults: ChannelFaults;
  set: (changes: Partial<ChannelFields>) => void;
}

type TextName = 'name' | 'provider' | 'base_url' | 'credential' | 'group';
type NumberName = 'priority' | 'weight' | 'timeoutSeconds';

const textProps = ({ fields, faults, set }: FieldsProps, name: TextName) => ({
  value: fields[name],
  error: faults[name],
  onChange: (event: FormEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.value }),
});

const numberProps = ({ fields, faults, set }: FieldsProps, name: NumberName) => ({
  value: fields[name],
  error: faults[name],
  onChange: (value: number | string) => set({ [name]: value }),
});

function RoutingFields(props: FieldsProps) {
  const { fields, set } = props;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <NumberInput
          label={t('Priority')}
          min={0}
          max={1_000}
          allowDecimal={false}
          {...numberProps(props, 'priority')}
        />
        <NumberInput label={t('Weight')} min={0} {...numberProps(props, 'weight')} />
        <NumberInput
          label={t('Timeout')}
          suffix={t(' s')}
          min={1}
          max={600}
          decimalScale={3}
          {...numberProps(props, 'timeoutSeconds')}
        />
        <TextInput label={t('Group')} maxLength={64} {...textProps(props, 'group')} />
      </SimpleGrid>
      <TagsInput
        label={t('Models without their own price')}
        description={t(
          'Names are passed on unchanged; free for everyone unless the DefaultModelPrice option sets a price',
        )}
        value={fields.models}
        onChange={(models) => set({ models })}
        splitChars={[',', ' ']}
        clearable
      />
    </>
  );
}

/** The stored credential is kept only while address, kind and provider stay the same. */
function CredentialField({ hint, moved, ...props }: FieldsProps & { hint: string | undefined; moved: boolean }) {
  const again = t('Enter the credential again: the stored one is not sent to a new address, kind or provider');
  const { credential, about = t('Stored encrypted, never shown again') } = kindOf(props.fields.kind);
  return (
    <PasswordInput
      label={t('Credential')}
      required={moved}
      description={moved ? again : (hint ?? about)}
      placeholder={hint && !moved ? t('Leave empty to keep it') : credential}
      autoComplete="off"
      {...textProps(props, 'credential')}
    />
  );
}

/** All settings of a channel except its models' prices. */
export function ChannelForm({ initial, submitLabel, credentialHint, onCancel, onSubmit }: ChannelFormProps) {
  const stored = credentialHint === undefined ? undefined : initial;
  const check = (given: ChannelFields) => faultsOf(given, stored);
  const { fields, faults, set, save, submit } = useCheckedForm(initial, check, onSubmit);
  const props = { fields, faults, set };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('Name')} required maxLength={64} data-autofocus {...textProps(props, 'name')} />
          <TextInput
            label={t('Provider')}
            required
            maxLength={64}
            placeholder="my-provider"
            {...textProps(props, 'provider')}
          />
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
            {...textProps(props, 'base_url')}
          />
        </SimpleGrid>
        <CredentialField hint={credentialHint} moved={stored !== undefined && isMoved(fields, stored)} {...props} />
        <RoutingFields {...props} />
        <FormFoot act={save} failure={t('The channel was not saved')} submitLabel={submitLabel} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
