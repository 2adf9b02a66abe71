/** What filters in the URL may be: `useUrlState(defaults, { status: oneOf(statuses), user: isWhole })`. */
export type Fits = (value: string) => boolean;

/** An id, or a number of something. */
export const isWhole: Fits = (value) => /^\d{1,15}$/.test(value);

export const oneOf =
  (choices: readonly (string | { value: string })[]): Fits =>
  (value) =>
    choices.some((choice) => (typeof choice === 'string' ? choice : choice.value) === value);

/** Longer texts are refused by the service. */
export const upTo =
  (characters: number): Fits =>
  (value) =>
    value.length <= characters;

/** Texts that no list can be searched for. */
const isText: Fits = (value) => value.length <= 1_000 && !value.includes('\0');

/** The values that fit, others replaced by their defaults, and the names of the others. */
export function fitting<T extends Record<string, string>>(
  given: T,
  defaults: T,
  fits: { readonly [name in keyof T]?: Fits },
): { values: T; wrong: string[] } {
  const isRight = ([name, value]: [string, string]) =>
    value === defaults[name] || value === '' || (isText(value) && (fits[name]?.(value) ?? true));
  const wrong = Object.entries(given).flatMap((entry) => (isRight(entry) ? [] : [entry[0]]));
  return { values: { ...given, ...Object.fromEntries(wrong.map((name) => [name, defaults[name]])) }, wrong };
}
