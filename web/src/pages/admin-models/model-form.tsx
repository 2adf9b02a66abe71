import { Alert, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { allChannelsQuery, type ModelType, modelTypes } from '../../catalog.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from '../../language/words.ts';
import { unitOf } from '../../model-facts.ts';
import { type CheckedForm, useCheckedForm } from '../../use-checked-form.ts';
import { faultsOf, isFree, type ModelFaults, type ModelFields } from './model-fields.ts';
import { PartPriceFields } from './part-price-fields.tsx';

interface ModelFormProps {
  title: string;
  submitLabel: string;
  initial: ModelFields;
  onClose: () => void;
  onSubmit: (fields: ModelFields) => Promise<unknown>;
}

type FieldsProps = CheckedForm<ModelFields, ModelFaults>;

function PriceFields({ fields, bind }: FieldsProps) {
  const price = (name: 'prompt_price' | 'completion_price' | 'request_price') => ({
    prefix: '$',
    min: 0,
    decimalScale: 6,
    ...bind(name),
  });
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} className="svc-fields">
      <NumberInput label={t('Prompt, per million tokens')} {...price('prompt_price')} />
      <NumberInput label={t('Completion, per million tokens')} {...price('completion_price')} />
      <NumberInput label={t('Per {unit}', { unit: unitOf(fields.type) })} {...price('request_price')} />
    </SimpleGrid>
  );
}

function LimitFields({ bind }: FieldsProps) {
  const number = (name: 'context_length' | 'max_output_tokens' | 'quality_score') => ({
    min: 0,
    // Reject an out-of-range number with a message instead of silently changing it.
    clampBehavior: 'none' as const,
    ...bind(name),
  });
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} className="svc-fields">
      <NumberInput
        label={t('Context, tokens')}
        description={t('0: unknown')}
        allowDecimal={false}
        {...number('context_length')}
      />
      <NumberInput
        label={t('Maximum output, tokens')}
        description={t('0: unknown')}
        allowDecimal={false}
        {...number('max_output_tokens')}
      />
      <NumberInput
        label={t('Initial quality score')}
        description={t('0 to 1')}
        max={1}
        step={0.05}
        decimalScale={3}
        {...number('quality_score')}
      />
    </SimpleGrid>
  );
}

function NameFields({ fields, faults, set, text }: FieldsProps) {
  const channels = useQuery(allChannelsQuery);
  const choices = channels.data?.channels.map(({ id, name }) => ({ value: String(id), label: name })) ?? [];
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} className="svc-fields">
      <TextInput
        label={t('Model')}
        description={t('The name callers use')}
        placeholder="vendor/model"
        required
        data-autofocus
        {...text('model_id')}
      />
      <TextInput
        label={t('Upstream name')}
        description={t('The provider’s name for it; leave empty if it is the same')}
        {...text('model_name')}
      />
      <Select
        label={t('Channel')}
        data={choices}
        searchable
        required
        value={fields.channel || null}
        error={faults.channel}
        onChange={(channel) => set({ channel: channel ?? '' })}
      />
      <Select
        label={t('Type')}
        data={modelTypes}
        allowDeselect={false}
        value={fields.type}
        onChange={(type) => set({ type: (type ?? 'chat') as ModelType })}
      />
    </SimpleGrid>
  );
}

/** Mounted only while open, so that it starts from `initial` each time. */
export function ModelForm({ title, submitLabel, initial, onClose, onSubmit }: ModelFormProps) {
  const form = useCheckedForm(initial, faultsOf, onSubmit);
  const { fields, sending } = form;
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      size="lg"
      {...sending}
      failure={t('The model was not saved')}
      submitLabel={submitLabel}
    >
      <NameFields {...form} />
      <PriceFields {...form} />
      <PartPriceFields {...form} />
      {isFree(fields) && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} role="status">
          {t('Without a price, the model is free for everyone with access.')}
        </Alert>
      )}
      <LimitFields {...form} />
    </FormDialog>
  );
}
