import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { t } from '../language/words.ts';

interface SearchInputProps {
  label: string;
  /** Shows the label above the field, next to other labelled fields; by default only screen readers get it. */
  labelled?: boolean;
  placeholder?: string;
  /** The applied value, usually from the URL. */
  value: string;
  onChange: (value: string) => void;
  width?: number | string;
}

/** A text filter; applied when typing pauses. */
export function SearchInput(props: SearchInputProps) {
  const { label, labelled = false, placeholder, value, onChange, width = 260 } = props;
  const [typed, setTyped] = useState(value);
  const tell = useDebouncedCallback(onChange, 300);
  // The back button and links can change the value from outside.
  useEffect(() => setTyped(value), [value]);
  const change = (text: string) => {
    setTyped(text);
    tell(text.trim());
  };
  return (
    <TextInput
      {...(labelled ? { label } : { 'aria-label': label })}
      placeholder={placeholder ?? label}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
      rightSection={
        typed !== '' && <CloseButton size="sm" aria-label={t('Clear {label}', { label })} onClick={() => change('')} />
      }
      w={{ base: '100%', xs: width }}
    />
  );
}
