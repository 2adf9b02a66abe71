/** A value of others' making as text; objects as their JSON, since one may have a `toString` that throws. */
export const plainText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
