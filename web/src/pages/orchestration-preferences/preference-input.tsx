import { NumberInput, Select, Switch } from '@mantine/core';
import { useState } from 'react';
import { ModelPicker } from '../../components/model-picker.tsx';
import { isComposing } from '../../composing.ts';
import { t } from '../../language/words.ts';
import { orchestrationModel } from '../../models.ts';
import { type Field, faultOf, type Value } from './preference-fields.ts';

interface PreferenceInputProps<F extends Field = Field> {
  field: F;
  value: Value;
  onSave: (value: Value) => void;
}
type Of<K extends Field['kind']> = PreferenceInputProps<Extract<Field, { kind: K }>>;

/** Saved when the field is left or Enter is pressed; Escape restores the saved value. */
function NumberPreference({ field, value, onSave }: Of<'number'>) {
  const saved = value === field.none ? '' : (value as number);
  const [draft, setDraft] = useState<number | string>(saved);
  const [before, setBefore] = useState(value);
  if (before !== value) {
    setBefore(value);
    setDraft(saved);
  }
  const fault = faultOf(field, draft);
  const commit = () => {
    if (draft !== saved && !fault) onSave(draft === '' ? field.none! : Number(draft));
  };
  return (
    <NumberInput
      aria-label={field.label}
      placeholder={field.none === undefined ? undefined : t('No limit')}
      value={draft}
      onChange={setDraft}
      error={fault}
      step={field.step}
      clampBehavior="none"
      allowDecimal={false}
      onBlur={commit}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setDraft(saved);
      }}
    />
  );
}

/** Offers the models of one type, except the orchestration model, which cannot plan for itself. */
function ModelPreference({ field, value, onSave }: Of<'model'>) {
  return (
    <ModelPicker
      aria-label={field.label}
      placeholder={t('Chosen automatically')}
      nothingFoundMessage={t('Model not found')}
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': t('Clear model for {label}', { label: field.label }) }}
      // Models known only from a channel have no type; most of them are chat models.
      fits={({ id, types }) =>
        (types.length === 0 ? ['chat'] : types).includes(field.type) && id !== orchestrationModel
      }
      value={String(value)}
      onChange={onSave}
    />
  );
}

export function PreferenceInput({ field, ...rest }: PreferenceInputProps) {
  if (field.kind === 'number') return <NumberPreference field={field} {...rest} />;
  if (field.kind === 'model') return <ModelPreference field={field} {...rest} />;
  const { value, onSave } = rest;
  if (field.kind === 'choice') {
    return (
      <Select
        aria-label={field.label}
        data={field.choices}
        allowDeselect={false}
        value={String(value)}
        onChange={(chosen) => chosen && onSave(chosen as Value)}
      />
    );
  }
  return (
    <Switch
      aria-label={field.label}
      checked={value === true}
      onChange={(event) => onSave(event.currentTarget.checked)}
    />
  );
}
