/** The service's alphabet: no vowels and no easily confused letters. */
const letters = /[^BCDFGHJKLMNPQRSTVWXZ]/g;
const length = 8;

/** Formats typed or pasted input the way the device shows it: XXXX-XXXX. */
export function shownCode(typed: string): string {
  const code = typed.toUpperCase().replace(letters, '').slice(0, length);
  return code.length > 4 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

export const isWhole = (code: string): boolean => code.length === length + 1;
