import { type FormEvent, useState } from 'react';
import { useAct } from './use-act.ts';

/** State of a form that is validated as a whole on submit, and sent only if it has no errors. */
export function useCheckedForm<Fields extends object, Faults extends object>(
  initial: Fields,
  faultsOf: (fields: Fields) => Faults,
  send: (fields: Fields) => Promise<unknown>,
) {
  const [fields, setFields] = useState(initial);
  const [faults, setFaults] = useState<Partial<Faults>>({});
  const save = useAct({ mutationFn: () => send(fields) });
  const set = (changes: Partial<Fields>) => setFields({ ...fields, ...changes });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(fields);
    setFaults(found);
    if (Object.keys(found).length === 0) save.mutate();
  };
  return { fields, faults, set, save, submit };
}
