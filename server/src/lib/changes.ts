/** What is known of something at one moment, by field. */
export type State = Record<string, unknown>;

/** A value that may be compared and never shown. */
export class Secret {
  constructor(readonly value: string) {}
  toJSON(): string {
    return 'secret';
  }
}

export interface Changes {
  before: State | null;
  after: State | null;
}

/** Past this a log entry names the fields only: a list of a thousand models is no help to a reader. */
const mostCharacters = 16_000;

/**
 * What an act changed: the fields that differ, or all of them where something was made or removed. A secret shows only that
 * it changed, and not at all with something that is made or removed with it.
 */
export function changesOf(before: State | null, after: State | null): Changes {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter((name) =>
    differ(before?.[name], after?.[name]),
  );
  return { before: before && shown(before, names, false), after: after && shown(after, names, before !== null) };
}

const plain = (given: unknown): unknown => (given instanceof Secret ? given.value || undefined : given);

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(plain(a)) !== JSON.stringify(plain(b));

function shown(state: State, names: string[], withSecrets: boolean): State {
  const fields = names.filter((name) => name in state && (withSecrets || !(state[name] instanceof Secret)));
  const picked = Object.fromEntries(
    fields.map((name) => [name, state[name] instanceof Secret ? 'changed' : state[name]]),
  );
  return JSON.stringify(picked).length > mostCharacters ? { fields } : picked;
}
