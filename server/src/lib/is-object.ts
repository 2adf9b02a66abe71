/** Whether a value of unknown making has members: lists have none that anybody would name. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const none: readonly Record<string, unknown>[] = [];

/** Those among a list of unknown making; none where it is no list. */
export const objectsIn = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : none;
