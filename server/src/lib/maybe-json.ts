/** Parses JSON; undefined if it is invalid. */
export function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
