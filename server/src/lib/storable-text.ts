/** PostgreSQL can store neither NUL nor half a character; text is cut first, since a cut may leave half of one. */
export const storableText = (text: string, most?: number): string =>
  text.slice(0, most).replaceAll('\0', '').toWellFormed();
