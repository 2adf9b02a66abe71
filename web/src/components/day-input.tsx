import { TextInput, type TextInputProps } from '@mantine/core';
import { isDay } from '../dates.ts';
import { t } from '../language/words.ts';
import { useTypedFilter } from '../use-typed-filter.ts';

interface DayInputProps extends Pick<TextInputProps, 'label' | 'min' | 'max' | 'w' | 'flex'> {
  /** Such as `2026-01-31`; empty if none is chosen. */
  value: string;
  onChange: (day: string) => void;
  /** The day that is used instead of one that cannot be. */
  used?: string;
}

/** Null while a day is incomplete: the browser then has no value, or the year 0002 and then 0020. */
const dayIn = ({ value, validity }: HTMLInputElement): string | null =>
  isDay(value) || (value === '' && !validity.badInput) ? value : null;

/** A filter by day, which stays as it is while another day is typed. */
export function DayInput({ value, onChange, used = value, ...rest }: DayInputProps) {
  const { text, change, events } = useTypedFilter({ value, apply: onChange });
  return (
    <TextInput
      {...rest}
      {...events}
      type="date"
      error={text === value && used !== value && t('{day} is used instead.', { day: used })}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value, dayIn(currentTarget))}
    />
  );
}
