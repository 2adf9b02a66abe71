import { Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ModelsPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { type CheckedForm, useCheckedForm } from '../../use-checked-form.ts';
import { cacheChoices, expiryChoices, faultsOf, type KeyFaults, type KeyFields, localDay } from './key-fields.ts';

interface KeyFormProps {
  /** Name of the key being edited; absent for a new key. */
  edited?: string;
  initial: KeyFields;
  /** Field to choose the owner, if there is a choice. */
  owner?: ReactNode;
  onClose: () => void;
  /** Closes the form on success; errors are shown in the form. */
  onSubmit: (fields: KeyFields, nowSeconds: number) => Promise<unknown>;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

type FieldsProps = CheckedForm<KeyFields, KeyFaults>;

function LimitFields({ fields, bind, toggle }: FieldsProps) {
  return (
    <Stack gap="xs">
      <Switch
        label={t('No spending limit')}
        description={t('When off, the key stops working when it has spent the amount below')}
        {...toggle('unlimited')}
      />
      {!fields.unlimited && <DollarInput label={t('Maximum spend')} placeholder="$10" {...bind('usd')} />}
    </Stack>
  );
}

function ScopeFields({ fields, bind }: FieldsProps) {
  return (
    <>
      <ModelsPicker
        label={t('Models')}
        description={t('Leave empty to allow every model')}
        placeholder={fields.models.length === 0 ? t('All models') : undefined}
        {...bind('models')}
        clearable
      />
      <TagsInput
        label={t('IP addresses')}
        description={t('Addresses or ranges that may use the key; leave empty to allow any')}
        placeholder={fields.ips.length === 0 ? '203.0.113.7, 10.0.0.0/8' : undefined}
        {...bind('ips')}
        splitChars={[',', ' ']}
        clearable
      />
    </>
  );
}

function ExpiryFields({ fields, set, text }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: fields.expiry === 'date' ? 2 : 1 }}>
      <Select
        label={t('Expires')}
        data={expiryChoices}
        allowDeselect={false}
        value={fields.expiry}
        onChange={(expiry) => set({ expiry: expiry ?? 'never' })}
      />
      {fields.expiry === 'date' && (
        <TextInput type="date" label={t('Last day')} min={localDay(nowSeconds())} {...text('date')} />
      )}
    </SimpleGrid>
  );
}

function CacheFields({ fields, set, toggle, given }: FieldsProps & { given: string }) {
  return (
    <Stack gap="xs">
      <Select
        label={t('Response caching')}
        description={t('Identical requests get the same response free of charge; requests with tools are never cached')}
        data={cacheChoices(given)}
        allowDeselect={false}
        value={fields.cache}
        onChange={(cache) => set({ cache: cache ?? 'off' })}
      />
      {fields.cache !== 'off' && (
        <Switch
          label={t('Any temperature')}
          description={t('When off, only requests with a temperature of 0 are cached')}
          {...toggle('cacheAny')}
        />
      )}
    </Stack>
  );
}

/** Mounted only while open, so that it starts from `initial` each time. */
export function KeyForm({ edited, initial, owner, onClose, onSubmit }: KeyFormProps) {
  const form = useCheckedForm(
    initial,
    (given) => faultsOf(given, nowSeconds()),
    (given) => onSubmit(given, nowSeconds()),
  );
  const { sending, text } = form;
  return (
    <FormDialog
      onClose={onClose}
      title={edited === undefined ? t('Create a key') : t('Edit {name}', { name: edited })}
      size="lg"
      {...sending}
      failure={t('The key was not saved')}
      submitLabel={edited === undefined ? t('Create key') : t('Save')}
    >
      <TextInput
        label={t('Name')}
        description={t('Helps you recognise it later')}
        placeholder={t('Backend, laptop, CI…')}
        maxLength={50}
        required
        data-autofocus
        {...text('name')}
      />
      {owner}
      <ExpiryFields {...form} />
      <LimitFields {...form} />
      <ScopeFields {...form} />
      <CacheFields {...form} given={initial.cache} />
    </FormDialog>
  );
}
