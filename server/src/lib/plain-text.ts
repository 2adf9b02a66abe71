/** An untrusted value as text; objects as JSON, since their `toString` could throw. */
export const plainText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
