/** The state of an entity at one moment, by field. */
export type State = Record<string, unknown>;

/** A value that may be compared but never shown. */
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

/** Longer entries list the field names only: a list of a thousand models does not help the reader. */
const mostCharacters = 16_000;

/**
 * The fields that differ, or all of them if the entity was created or deleted. A secret only shows that it changed, and
 * is left out on creation and deletion.
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
