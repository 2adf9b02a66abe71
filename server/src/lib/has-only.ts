/** Whether a JSON object has only these members. Iterates without allocating a list of names. */
export function hasOnly(given: object, names: ReadonlySet<string>): boolean {
  for (const name in given) if (!names.has(name)) return false;
  return true;
}
