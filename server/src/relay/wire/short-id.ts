/** Ids of calls that other vendors made may be longer than one takes; call and result are changed alike. */
export const shortId = (id: string, most: number): string =>
  id.length <= most ? id : `${id.slice(0, most - hashChars - 1)}-${Bun.hash(id).toString(16).padStart(hashChars, '0')}`;

const hashChars = 16;
