/** Origins separated by spaces or commas. */
export const originsOf = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '');

/** Why the list is invalid, or null. Origins are written as browsers do (RFC 6454 §6.2). */
export function originListFault(text: string): string | null {
  const wrong = originsOf(text).find((entry) => entry !== '*' && !isOrigin(entry));
  return wrong === undefined
    ? null
    : `must be origins such as https://app.example.com, or *; ${wrong.slice(0, 100)} is not one`;
}

function isOrigin(entry: string): boolean {
  const url = URL.parse(entry);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === entry && !entry.includes('*');
}
