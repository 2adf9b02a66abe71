/** Shortens call ids of other vendors that are too long, consistently for call and result. */
export const shortId = (id: string, most: number): string =>
  id.length <= most ? id : `${id.slice(0, most - hashChars - 1)}-${Bun.hash(id).toString(16).padStart(hashChars, '0')}`;

const hashChars = 16;
