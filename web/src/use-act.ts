import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';

/**
 * A mutation that a second click cannot start while the first runs: a button shows its busy state one render too late.
 * Where one act serves many rows, `nameOf` tells them apart: what is done to one does not hold up the others.
 */
export function useAct<Data, Given = void>(
  options: UseMutationOptions<Data, Error, Given>,
  nameOf: (given: Given) => unknown = () => undefined,
): UseMutationResult<Data, Error, Given> {
  const [busy] = useState(() => new Set<unknown>());
  const name = useRef(nameOf);
  const act = useMutation({
    ...options,
    // Of the mutation and not of the call: those are dropped when the page is left, or when another row is acted on.
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
