import { Group, NumberInput, Select } from '@mantine/core';
import type { FocusEvent } from 'react';
import { t } from '../../language/words.ts';
import { shapeOf, shownOf, storedOf, timeUnits, unitOf } from './option-units.ts';
import { draftKeys, useStateFor } from './use-draft.ts';

interface NumberOptionProps {
  option: { key: string; value: number };
  label: string;
  onSave: (value: number) => void;
  /** Another number takes back what was typed and not saved. */
  turn: number;
}

/** As it is typed, and not as it is stored: `1.0` on the way to `1.05` is not 1 yet, and an empty field not 0. */
type Typed = number | string;

/** In the unit that people think in. */
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

/** A number and its unit; what is saved are seconds, when both are left. */
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
