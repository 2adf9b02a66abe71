/** PostgreSQL can store neither NUL nor lone surrogates; the text is truncated first, since that may leave one. */
export const storableText = (text: string, most?: number): string =>
  text.slice(0, most).replaceAll('\0', '').toWellFormed();
