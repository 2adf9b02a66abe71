/**
 * The fields that differ from those the form began with, or an empty object. Only these are sent: the others may have
 * been changed by somebody else, or in another tab, since the form was opened.
 */
export function changedFields<Before extends object, After extends object>(
  before: Before,
  after: After,
): Partial<After> {
  const old = before as Record<string, unknown>;
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old[name]);
  return Object.fromEntries(Object.entries(after).filter(differs)) as Partial<After>;
}
