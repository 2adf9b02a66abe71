/** Whether an object that came as JSON has no other members than these. Makes no list of them, which each request would leave behind. */
export function hasOnly(given: object, names: ReadonlySet<string>): boolean {
  for (const name in given) if (!names.has(name)) return false;
  return true;
}
