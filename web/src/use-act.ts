import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

/** A mutation that a second click cannot start while the first runs: a button shows its busy state one render too late. */
export function useAct<Data, Given = void>(
  options: UseMutationOptions<Data, Error, Given>,
): UseMutationResult<Data, Error, Given> {
  const act = useMutation(options);
  const busy = useRef(false);
  const mutate = (given: Given) => {
    if (busy.current) return;
    busy.current = true;
    act.mutate(given, {
      onSettled: () => {
        busy.current = false;
      },
    });
  };
  return { ...act, mutate: mutate as typeof act.mutate };
}
