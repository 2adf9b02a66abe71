import { type FormEvent, useState } from 'react';
import { useAct } from './use-act.ts';

type Names<Fields, Value> = { [Name in keyof Fields]: Fields[Name] extends Value ? Name : never }[keyof Fields];

/** What `useCheckedForm` returns, for components that show a part of the form. */
export type CheckedForm<Fields extends object, Faults extends object> = ReturnType<
  typeof useCheckedForm<Fields, Faults>
>;

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
  /** The properties that tie an input to the field of its name, if it reports values. */
  const bind = <Name extends keyof Fields>(name: Name) => ({
    value: fields[name],
    // Not every field can be wrong: `Faults` names some of them.
    error: (faults as Partial<Record<keyof Fields, string>>)[name],
    onChange: (value: Fields[Name]) => setFields({ ...fields, [name]: value }),
  });
  /** The same for inputs that report events. */
  const text = <Name extends Names<Fields, string>>(name: Name) => ({
    ...bind(name),
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
  });
  /** The same for switches and checkboxes. */
  const toggle = <Name extends Names<Fields, boolean>>(name: Name) => ({
    checked: fields[name],
    onChange: (event: { currentTarget: { checked: boolean } }) =>
      setFields({ ...fields, [name]: event.currentTarget.checked }),
  });
  /** What a `FormDialog` needs to send the form. */
  const sending = { act: save, onSubmit: submit, noValidate: true };
  return { fields, faults, set, save, submit, sending, bind, text, toggle };
}
