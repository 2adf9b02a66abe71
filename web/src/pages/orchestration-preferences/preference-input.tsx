import { NumberInput, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ListedModel, modelsQuery, orchestrationModel } from '../../models.ts';
import { type Field, faultOf, type Value } from './preference-fields.ts';

interface PreferenceInputProps<F extends Field = Field> {
  field: F;
  value: Value;
  onSave: (value: Value) => void;
}
type Of<K extends Field['kind']> = PreferenceInputProps<Extract<Field, { kind: K }>>;

/** Saved when the field is left or Enter is pressed; Escape restores the saved value. */
function NumberPreference({ field, value, onSave }: Of<'number'>) {
  const [draft, setDraft] = useState<number | string>(value as number);
  const [before, setBefore] = useState(value);
  if (before !== value) {
    setBefore(value);
    setDraft(value as number);
  }
  const fault = faultOf(field, draft);
  const commit = () => {
    if (draft !== value && !fault) onSave(draft as number);
  };
  return (
    <NumberInput
      aria-label={field.label}
      value={draft}
      onChange={setDraft}
      error={fault}
      step={field.step}
      clampBehavior="none"
      allowDecimal={false}
      thousandSeparator
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setDraft(value as number);
      }}
    />
  );
}

type Typed = ListedModel & { types?: string[] };

/** Models of one type; the orchestration model cannot plan for itself. */
function ModelPreference({ field, value, onSave }: Of<'model'>) {
  const models = useQuery(modelsQuery);
  const fitting = ((models.data ?? []) as Typed[])
    .filter(({ id, types = ['chat'] }) => types.includes(field.type) && id !== orchestrationModel)
    .map(({ id }) => id)
    .sort();
  const chosen = String(value);
  return (
    <Select
      aria-label={field.label}
      placeholder="Picked for you"
      nothingFoundMessage="No such model"
      searchable
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': `No model for ${field.label}` }}
      // A model that no longer exists stays visible, so that the user sees what to change.
      data={chosen && !fitting.includes(chosen) ? [chosen, ...fitting] : fitting}
      limit={100}
      value={chosen || null}
      onChange={(id) => onSave(id ?? '')}
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
