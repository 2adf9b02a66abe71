import { Select, SimpleGrid } from '@mantine/core';
import { t } from '../language/words.ts';
import { type Spending, type SpendingEntry, windowOf } from '../spending.ts';
import { DollarInput } from './dollar-input.tsx';

interface SpendingFieldsProps {
  value: SpendingEntry;
  onChange: (value: SpendingEntry) => void;
  error?: string | undefined;
}

const windows: { value: Spending['spending_window']; label: string }[] = [
  { value: 'total', label: t('In total') },
  { value: 'month', label: t('Each month') },
];

/** How much of a user's credits an application may spend, and in which period. */
export function SpendingFields({ value, onChange, error }: SpendingFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <DollarInput
        label={t('Spending limit')}
        description={t('From your credits, in dollars')}
        required
        withAsterisk={false}
        value={value.usd}
        onChange={(usd) => onChange({ ...value, usd })}
        error={error}
      />
      <Select
        label={t('Reset period')}
        description={t('Calendar months (UTC)')}
        data={windows}
        allowDeselect={false}
        value={value.window}
        onChange={(window) => onChange({ ...value, window: windowOf(window) })}
      />
    </SimpleGrid>
  );
}
