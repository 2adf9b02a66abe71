import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRef } from 'react';
import { t } from '../language/words.ts';
import { useTypedFilter } from '../use-typed-filter.ts';

interface SearchInputProps {
  label: string;
  /** Shows the label above the field, next to other labelled fields; by default only screen readers get it. */
  labelled?: boolean;
  placeholder?: string;
  /** The applied value, usually from the URL. */
  value: string;
  onChange: (value: string) => void;
  width?: number | string;
  /** The service refuses longer texts. */
  maxLength?: number;
}

/** A text filter; applied when typing pauses. */
export function SearchInput(props: SearchInputProps) {
  const { label, labelled = false, placeholder, value, onChange, width = 260, maxLength = 200 } = props;
  const { text, change, clear, events } = useTypedFilter({ value, apply: onChange });
  const input = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      {...(labelled ? { label } : { 'aria-label': label })}
      {...events}
      // Escape clears the field first; the next one closes the drawer around it.
      data-mantine-stop-propagation={text !== '' || undefined}
      ref={input}
      placeholder={placeholder ?? label}
      maxLength={maxLength}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
      rightSection={
        text !== '' && (
          <CloseButton
            size="sm"
            aria-label={t('Clear {label}', { label })}
            onClick={() => {
              clear();
              input.current?.focus();
            }}
          />
        )
      }
      w={{ base: '100%', xs: width }}
    />
  );
}
