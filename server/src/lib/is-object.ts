/** Whether an unknown value is an object with named members, not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const none: readonly Record<string, unknown>[] = [];

/** The objects of an unknown list; empty if it is no list. */
export const objectsIn = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : none;

/** A copy without one of its members. */
export function without(object: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _, ...rest } = object;
  return rest;
}
