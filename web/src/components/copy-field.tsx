import { TextInput } from '@mantine/core';
import { t } from '../language/words.ts';
import { CopyButton } from './copy-button.tsx';

interface CopyFieldProps {
  label: string;
  value: string;
  description?: string;
}

/** A read-only value with a copy button. */
export function CopyField({ label, value, description }: CopyFieldProps) {
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      readOnly
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-sm)' },
      }}
      rightSection={<CopyButton value={value} label={t('Copy {label}', { label })} />}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
