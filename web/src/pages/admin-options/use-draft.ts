import { useState } from 'react';

/** State that begins anew when `name` changes: what was typed gives way to what is saved. */
export function useStateFor<T>(name: string, start: T): [T, (value: T) => void] {
  const [state, setState] = useState({ name, value: start });
  return [state.name === name ? state.value : start, (value) => setState({ name, value })];
}

/** What is typed is saved when the field is left or Enter is pressed; Escape restores what is saved. */
export function draftKeys(commit: () => void, restore: () => void) {
  const onKeyDown = ({ key }: { key: string }) => {
    if (key === 'Enter') commit();
    if (key === 'Escape') restore();
  };
  return { onBlur: commit, onKeyDown };
}

/** `turn`: another number takes back what was typed and not saved. */
export function useDraft(saved: string, turn: number, onSave: (value: string) => void) {
  const [draft, setDraft] = useStateFor(`${turn} ${saved}`, saved);
  const commit = () => {
    if (draft !== saved) onSave(draft);
  };
  return { draft, setDraft, ...draftKeys(commit, () => setDraft(saved)) };
}
