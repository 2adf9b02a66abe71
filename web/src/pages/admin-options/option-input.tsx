import { Autocomplete, MultiSelect, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scopeWords, splitScopes } from '../../components/scopes.tsx';
import { modelsQuery } from '../../models.ts';
import type { Option } from './option-groups.ts';

type Value = Option['value'];

interface OptionInputProps {
  option: Option;
  label: string;
  onSave: (value: Value) => void;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Text and numbers are saved when the field is left or Enter is pressed; Escape restores the saved value. */
function useDraft<T extends Value>(saved: T, onSave: (value: T) => void) {
  const [draft, setDraft] = useState<T>(saved);
  const [before, setBefore] = useState(saved);
  if (before !== saved) {
    setBefore(saved);
    setDraft(saved);
  }
  const commit = () => {
    if (draft !== saved) onSave(draft);
  };
  const onKeyDown = (event: { key: string }) => {
    if (event.key === 'Enter') commit();
    if (event.key === 'Escape') setDraft(saved);
  };
  return { draft, setDraft, onBlur: commit, onKeyDown };
}

function NumberOption({ option, label, onSave }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, onSave);
  return (
    <NumberInput
      aria-label={label}
      value={Number(draft)}
      onChange={(value) => setDraft(value === '' ? option.value : Number(value))}
      min={0}
      thousandSeparator
      hideControls
      {...keys}
    />
  );
}

function TextOption({ option, label, onSave }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, onSave);
  return (
    <TextInput
      aria-label={label}
      value={String(draft)}
      onChange={(event) => setDraft(event.currentTarget.value)}
      {...keys}
    />
  );
}

function ModelOption({ option, label, onSave }: OptionInputProps) {
  const models = useQuery(modelsQuery);
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, onSave);
  return (
    <Autocomplete
      aria-label={label}
      placeholder="Picked automatically"
      openOnFocus={false}
      data={models.data?.map(({ id }) => id) ?? []}
      value={String(draft)}
      onChange={setDraft}
      onOptionSubmit={onSave}
      {...keys}
    />
  );
}

/** The input that fits the option: by its key where it has choices, else by the type of its value. */
export function OptionInput(props: OptionInputProps) {
  const { option, label, onSave } = props;
  if (typeof option.value === 'boolean') {
    return (
      <Switch aria-label={label} checked={option.value} onChange={(event) => onSave(event.currentTarget.checked)} />
    );
  }
  if (typeof option.value === 'number') return <NumberOption {...props} />;
  if (option.key === 'OAuth2AllowedScopes') {
    return (
      <MultiSelect
        aria-label={label}
        data={Object.keys(scopeWords)}
        value={splitScopes(option.value)}
        onChange={(scopes) => onSave(scopes.join(' '))}
      />
    );
  }
  if (option.key === 'LogLevel') {
    return (
      <Select
        aria-label={label}
        placeholder="As started"
        data={levels}
        value={option.value || null}
        onChange={(level) => onSave(level ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': 'As started' }}
      />
    );
  }
  return /^Ms\w+Model$/.test(option.key) ? <ModelOption {...props} /> : <TextOption {...props} />;
}
