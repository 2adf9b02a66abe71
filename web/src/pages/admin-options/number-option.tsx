import { Group, NumberInput, Select } from '@mantine/core';
import type { FocusEvent } from 'react';
import { t } from '../../language/words.ts';
import { shapeOf, shownOf, storedOf, timeUnits, unitOf } from './option-units.ts';
import { draftKeys, useStateFor } from './use-draft.ts';

interface NumberOptionProps {
  option: { key: string; value: number };
  label: string;
  onSave: (value: number) => void;
  /** Changing this number discards unsaved input. */
  turn: number;
}

/** The raw input: while typing `1.05`, `1.0` must not become 1, nor an empty field 0. */
type Typed = number | string;

/** Edits the value in a human-friendly unit. */
export function NumberOption({ option: { key, value }, label, onSave, turn }: NumberOptionProps) {
  const shape = shapeOf(key);
  const saved = shownOf(shape, value);
  const [typed, setTyped] = useStateFor<Typed>(`${turn} ${value}`, saved);
  const restore = () => setTyped(saved);
  const commit = () => {
    if (typed === '') return restore();
    const next = storedOf(shape, Number(typed));
    if (next !== value) onSave(next);
  };
  return (
    <NumberInput
      aria-label={label}
      value={typed}
      onChange={setTyped}
      prefix={shape.prefix}
      suffix={shape.suffix}
      decimalScale={shape.decimals}
      min={0}
      hideControls
      {...draftKeys(commit, restore)}
    />
  );
}

/** A number and its unit. Saved as seconds, once the focus leaves both fields. */
export function DurationOption({ option: { value }, label, onSave, turn }: NumberOptionProps) {
  const saved = unitOf(value);
  const [unit, setUnit] = useStateFor(`${turn} ${value}`, saved);
  const [count, setCount] = useStateFor<Typed>(`${turn} ${value}`, value / saved);
  const restore = () => {
    setUnit(saved);
    setCount(value / saved);
  };
  const commit = () => {
    if (count === '') return restore();
    const next = Math.round(Number(count) * unit);
    if (next !== value) onSave(next);
  };
  const { onKeyDown } = draftKeys(commit, restore);
  const left = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) commit();
  };
  return (
    <Group gap="xs" wrap="nowrap" onBlur={left}>
      <NumberInput
        aria-label={label}
        flex={1}
        value={count}
        onChange={setCount}
        decimalScale={2}
        min={0}
        hideControls
        onKeyDown={onKeyDown}
      />
      <Select
        aria-label={t('Unit of {label}', { label })}
        w={110}
        data={timeUnits}
        allowDeselect={false}
        value={String(unit)}
        onChange={(chosen) => setUnit(Number(chosen ?? 1))}
      />
    </Group>
  );
}
