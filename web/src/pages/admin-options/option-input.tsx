import { MultiSelect, Select, Switch, TextInput } from '@mantine/core';
import { ModelNameInput } from '../../components/model-picker.tsx';
import { scopeWords, splitScopes } from '../../components/scopes.tsx';
import { t } from '../../language/words.ts';
import { DurationOption, NumberOption } from './number-option.tsx';
import type { Option } from './option-groups.ts';
import { isDuration } from './option-units.ts';
import { useDraft } from './use-draft.ts';

type Value = Option['value'];

interface OptionInputProps {
  option: Option;
  label: string;
  onSave: (value: Value) => void;
  /** Changing this number discards unsaved input. */
  turn: number;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function TextOption({ option, label, onSave, turn }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft(String(option.value), turn, onSave);
  return (
    <TextInput aria-label={label} value={draft} onChange={(event) => setDraft(event.currentTarget.value)} {...keys} />
  );
}

function ModelOption({ option, label, onSave, turn }: OptionInputProps) {
  const { draft, setDraft, ...keys } = useDraft(String(option.value), turn, onSave);
  return (
    <ModelNameInput
      aria-label={label}
      placeholder={t('Selected automatically')}
      openOnFocus={false}
      value={draft}
      onChange={setDraft}
      onOptionSubmit={onSave}
      {...keys}
    />
  );
}

/** Chooses the input by the option's key if it has fixed choices, else by the type of its value. */
export function OptionInput(props: OptionInputProps) {
  const { option, label, onSave, turn } = props;
  if (typeof option.value === 'boolean') {
    return (
      <Switch aria-label={label} checked={option.value} onChange={(event) => onSave(event.currentTarget.checked)} />
    );
  }
  if (typeof option.value === 'number') {
    const number = { option: { key: option.key, value: option.value }, label, onSave, turn };
    return isDuration(option.key) ? <DurationOption {...number} /> : <NumberOption {...number} />;
  }
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
        placeholder={t('As set at startup')}
        data={levels}
        value={option.value || null}
        onChange={(level) => onSave(level ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': t('As set at startup') }}
      />
    );
  }
  return /^Ms\w+Model$/.test(option.key) ? <ModelOption {...props} /> : <TextOption {...props} />;
}
