import { TextInput, Title } from '@mantine/core';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { type AliasFields, faultsOf } from './alias-fields.ts';
import { ModelOrder } from './model-order.tsx';
import { Preview } from './preview.tsx';

interface AliasFormProps {
  title: string;
  submitLabel: string;
  initial: AliasFields;
  onClose: () => void;
  /** Closes the form on success; errors are shown in the form. */
  onSubmit: (fields: AliasFields) => Promise<unknown>;
}

/** Mounted only while open. */
export function AliasForm({ title, submitLabel, initial, onClose, onSubmit }: AliasFormProps) {
  const { fields, faults, set, text, sending } = useCheckedForm(initial, faultsOf, onSubmit);
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      size="lg"
      {...sending}
      failure={t('The alias was not saved')}
      submitLabel={submitLabel}
    >
      <TextInput
        label={t('Name')}
        description={t('The model name that clients send')}
        placeholder="fast, company/default…"
        required
        maxLength={200}
        data-autofocus
        spellCheck={false}
        {...text('name')}
      />
      <ModelOrder models={fields.models} error={faults.models} onChange={(models) => set({ models })} />
      <section>
        <Title order={3} size="h5" mb={6}>
          {t('Which model answers')}
        </Title>
        <Preview name={fields.name} models={fields.models} />
      </section>
    </FormDialog>
  );
}
