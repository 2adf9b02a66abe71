import { Autocomplete, Group, MultiSelect, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scopeWords, splitScopes } from '../../components/scopes.tsx';
import { modelsQuery } from '../../models.ts';
import type { Option } from './option-groups.ts';
import { isDuration, shapeOf, shownOf, storedOf, timeUnits, unitOf } from './option-units.ts';

type Value = Option['value'];

interface OptionInputProps {
  option: Option;
  label: string;
  onSave: (value: Value) => void;
  /** Another number takes back what was typed and not saved. */
  turn: number;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Text and numbers are saved when the field is left or Enter is pressed; Escape restores the saved value. */
function useDraft<T extends Value>(saved: T, turn: number, onSave: (value: T) => void) {
  const [draft, setDraft] = useState<T>(saved);
  const [before, setBefore] = useState({ saved, turn });
  if (before.saved !== saved || before.turn !== turn) {
    setBefore({ saved, turn });
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

/** In the unit that people think in. */
function NumberOption({ option, label, onSave, turn }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, turn, onSave);
  const shape = shapeOf(option.key);
  return (
    <NumberInput
      aria-label={label}
      value={shownOf(shape, Number(draft))}
      onChange={(typed) => setDraft(typed === '' ? option.value : storedOf(shape, Number(typed)))}
      prefix={shape.prefix}
      suffix={shape.suffix}
      decimalScale={shape.decimals}
      min={0}
      thousandSeparator
      hideControls
      {...keys}
    />
  );
}

/** A number and its unit; what is saved are seconds. */
function DurationOption({ option, label, onSave, turn }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, turn, onSave);
  const [unit, setUnit] = useState(() => unitOf(Number(option.value)));
  const count = shownOf({ factor: unit, decimals: 0 }, Number(draft));
  const choose = (chosen: string | null) => {
    const next = Number(chosen ?? 1);
    setUnit(next);
    onSave(Math.round(count * next));
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <NumberInput
        aria-label={label}
        flex={1}
        value={count}
        onChange={(typed) => setDraft(typed === '' ? option.value : Math.round(Number(typed) * unit))}
        decimalScale={2}
        min={0}
        thousandSeparator
        hideControls
        {...keys}
      />
      <Select
        aria-label={`Unit of ${label}`}
        w={110}
        data={timeUnits}
        allowDeselect={false}
        value={String(unit)}
        onChange={choose}
      />
    </Group>
  );
}

function TextOption({ option, label, onSave, turn }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, turn, onSave);
  return (
    <TextInput
      aria-label={label}
      value={String(draft)}
      onChange={(event) => setDraft(event.currentTarget.value)}
      {...keys}
    />
  );
}

function ModelOption({ option, label, onSave, turn }: OptionInputProps) {
  const models = useQuery(modelsQuery);
  const { draft, setDraft, ...keys } = useDraft<Value>(option.value, turn, onSave);
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
  if (typeof option.value === 'number')
    return isDuration(option.key) ? <DurationOption {...props} /> : <NumberOption {...props} />;
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
