import { useDebouncedCallback } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { type CompositionEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { isComposing } from './composing.ts';

/** A search that once was there stays: without it, whoever clears it over a short list would lose their place. */
export function useStaysShown(wanted: boolean): boolean {
  const shown = useRef(false);
  shown.current ||= wanted;
  return shown.current;
}

/** Long enough for most people to type the next letter. */
const pauseMs = 300;

interface TypedFilter {
  /** The applied value, usually from the URL. */
  value: string;
  apply: (value: string) => void;
}

/**
 * The text of a filter that is applied when typing pauses, or at once with Enter and Escape, which clears it. The text
 * stays as it was typed until the field is left: the value that comes back lacks the last letters, and spaces at the end.
 */
export function useTypedFilter({ value, apply }: TypedFilter) {
  const { history } = useRouter();
  const [draft, setDraft] = useState<string | null>(null);
  /** Applied, and not yet seen as `value`. */
  const asked = useRef<string[]>([]);
  const state = useRef({ focused: false, composing: false, path: '' });
  const settle = () => {
    if (!state.current.focused && asked.current.length === 0) setDraft(null);
  };
  const tell = useDebouncedCallback((next: string) => {
    // A link may have been clicked meanwhile: its page has other filters.
    if (history.location.pathname !== state.current.path) return;
    if (next === (asked.current.at(-1) ?? value)) return settle();
    asked.current.push(next);
    apply(next);
  }, pauseMs);
  useEffect(() => {
    const place = asked.current.indexOf(value);
    asked.current.splice(0, place === -1 ? asked.current.length : place + 1);
    if (place !== -1 && state.current.focused) return;
    // Changed by the Back button, a link, or a button that clears all filters.
    if (place === -1) tell.cancel();
    if (asked.current.length === 0) setDraft(null);
  }, [value, tell]);

  /** `next` is the value that the text stands for; null while it is none. */
  const change = (text: string, next: string | null = text.trim()) => {
    setDraft(text);
    state.current.path = history.location.pathname;
    if (next === null || state.current.composing) tell.cancel();
    else tell(next);
  };
  const clear = () => {
    change('');
    tell.flush();
  };
  return {
    text: draft ?? value,
    change,
    clear,
    events: {
      onFocus: () => {
        state.current.focused = true;
      },
      onBlur: () => {
        state.current.focused = false;
        if (!tell.isPending()) settle();
      },
      onCompositionStart: () => {
        state.current.composing = true;
        tell.cancel();
      },
      onCompositionEnd: (event: CompositionEvent<HTMLInputElement>) => {
        state.current.composing = false;
        change(event.currentTarget.value);
      },
      onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Enter') tell.flush();
        if (event.key !== 'Escape' || event.currentTarget.value === '') return;
        event.stopPropagation();
        event.preventDefault();
        clear();
      },
    },
  };
}
