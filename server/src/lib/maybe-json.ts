/** What a text says as JSON; undefined for what is none. */
export function maybeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
