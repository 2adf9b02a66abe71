/** The same for objects that hold the same, in whichever order they were written; for comparing alone. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Pairs, since an object would put members named by numbers first again.
  return members.map(([name, member]) => [name, inOrder(member)]);
}
