import { Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DollarInput } from '../../components/dollar-input.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { ModelsPicker } from '../../components/model-picker.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
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

interface FieldsProps {
  fields: KeyFields;
  faults: KeyFaults;
  set: (changes: Partial<KeyFields>) => void;
}

function LimitFields({ fields, faults, set }: FieldsProps) {
  return (
    <Stack gap="xs">
      <Switch
        label={t('No spending limit')}
        description={t('When off, the key stops working when it has spent the amount below')}
        checked={fields.unlimited}
        onChange={(event) => set({ unlimited: event.currentTarget.checked })}
      />
      {!fields.unlimited && (
        <DollarInput
          label={t('Maximum spend')}
          placeholder="$10"
          value={fields.usd}
          onChange={(usd) => set({ usd })}
          error={faults.usd}
        />
      )}
    </Stack>
  );
}

function ScopeFields({ fields, faults, set }: FieldsProps) {
  return (
    <>
      <ModelsPicker
        label={t('Models')}
        description={t('Leave empty to allow every model')}
        placeholder={fields.models.length === 0 ? t('All models') : undefined}
        value={fields.models}
        onChange={(chosen) => set({ models: chosen })}
        clearable
      />
      <TagsInput
        label={t('IP addresses')}
        description={t('Addresses or ranges that may use the key; leave empty to allow any')}
        placeholder={fields.ips.length === 0 ? '203.0.113.7, 10.0.0.0/8' : undefined}
        value={fields.ips}
        onChange={(ips) => set({ ips })}
        splitChars={[',', ' ']}
        error={faults.ips}
        clearable
      />
    </>
  );
}

function ExpiryFields({ fields, faults, set }: FieldsProps) {
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
        <TextInput
          type="date"
          label={t('Last day')}
          min={localDay(nowSeconds())}
          value={fields.date}
          onChange={(event) => set({ date: event.currentTarget.value })}
          error={faults.date}
        />
      )}
    </SimpleGrid>
  );
}

function CacheFields({ fields, set, given }: Omit<FieldsProps, 'faults'> & { given: string }) {
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
          checked={fields.cacheAny}
          onChange={(event) => set({ cacheAny: event.currentTarget.checked })}
        />
      )}
    </Stack>
  );
}

/** Mounted only while open, so that it starts from `initial` each time. */
export function KeyForm({ edited, initial, owner, onClose, onSubmit }: KeyFormProps) {
  const { fields, faults, set, save, submit } = useCheckedForm(
    initial,
    (given) => faultsOf(given, nowSeconds()),
    (given) => onSubmit(given, nowSeconds()),
  );
  return (
    <Dialog
      opened
      onClose={onClose}
      title={edited === undefined ? t('Create a key') : t('Edit {name}', { name: edited })}
      size="lg"
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={t('Name')}
            description={t('Helps you recognise it later')}
            placeholder={t('Backend, laptop, CI…')}
            maxLength={50}
            required
            data-autofocus
            value={fields.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={faults.name}
          />
          {owner}
          <ExpiryFields fields={fields} faults={faults} set={set} />
          <LimitFields fields={fields} faults={faults} set={set} />
          <ScopeFields fields={fields} faults={faults} set={set} />
          <CacheFields fields={fields} set={set} given={initial.cache} />
          <FormFoot
            act={save}
            failure={t('The key was not saved')}
            submitLabel={edited === undefined ? t('Create key') : t('Save')}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
