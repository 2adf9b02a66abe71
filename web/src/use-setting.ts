import { type UseMutationOptions, useMutation } from '@tanstack/react-query';

/**
 * Saves a setting as soon as it changes. Saves run one after another, so that the last change wins. A value that is
 * being saved is not sent again: Enter saves it, and leaving the field would once more.
 */
export function useSetting<Data, Value>(name: string, options: Omit<UseMutationOptions<Data, Error, Value>, 'scope'>) {
  const save = useMutation({ ...options, scope: { id: name } });
  const change = (value: Value) => {
    if (!save.isPending || save.variables !== value) save.mutate(value);
  };
  /** For switches and choices: what was chosen, while it is being saved. */
  const chosen = (saved: Value): Value => (save.isPending ? save.variables : saved);
  return { save, change, chosen };
}
