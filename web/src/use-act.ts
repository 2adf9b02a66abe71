import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';

/**
 * A mutation that a second click cannot start while the first is running: the button's loading state comes one render
 * too late to prevent that. If one hook serves many rows, `nameOf` identifies the row, so that rows do not block each
 * other.
 */
export function useAct<Data, Given = void>(
  options: UseMutationOptions<Data, Error, Given>,
  nameOf: (given: Given) => unknown = () => undefined,
): UseMutationResult<Data, Error, Given> {
  const [busy] = useState(() => new Set<unknown>());
  const name = useRef(nameOf);
  const act = useMutation({
    ...options,
    // Set on the mutation: callbacks passed to `mutate` are dropped on unmount, and when another row calls it.
    onSettled: async (data, error, given, result, context) => {
      try {
        await options.onSettled?.(data, error, given, result, context);
      } finally {
        busy.delete(name.current(given));
      }
    },
  });
  const start = act.mutate;
  const mutate = useCallback(
    (given: Given) => {
      if (busy.has(name.current(given))) return;
      busy.add(name.current(given));
      start(given);
    },
    [busy, start],
  );
  return { ...act, mutate: mutate as typeof act.mutate };
}
