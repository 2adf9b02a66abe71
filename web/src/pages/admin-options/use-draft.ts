import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../composing.ts';

/** State that resets when `name` changes, so that the saved value replaces the draft. */
export function useStateFor<T>(name: string, start: T): [T, (value: T) => void] {
  const [state, setState] = useState({ name, value: start });
  return [state.name === name ? state.value : start, (value) => setState({ name, value })];
}

/** Saves on blur and on Enter; Escape restores the saved value. */
export function draftKeys(commit: () => void, restore: () => void) {
  const onKeyDown = ({ key, nativeEvent }: KeyboardEvent) => {
    if (isComposing(nativeEvent)) return;
    if (key === 'Enter') commit();
    if (key === 'Escape') restore();
  };
  return { onBlur: commit, onKeyDown };
}

/** `turn`: changing this number discards unsaved input. */
export function useDraft(saved: string, turn: number, onSave: (value: string) => void) {
  const [draft, setDraft] = useStateFor(`${turn} ${saved}`, saved);
  const commit = () => {
    const text = draft.trim();
    if (text !== saved) onSave(text);
    else setDraft(saved);
  };
  return { draft, setDraft, ...draftKeys(commit, () => setDraft(saved)) };
}
