/*
 * Half a character (one unit of a pair) is no text: many servers refuse a request with one as invalid JSON.
 */

/** The beginning of a text, at most this long. */
export const beginningOf = (text: string, most: number): string => {
  const cut = text.slice(0, Math.max(0, most));
  return cut.length < text.length ? cut.replace(/[\uD800-\uDBFF]$/, '') : cut;
};

/** The end of a text, at most this long. */
export const endOf = (text: string, most: number): string => {
  const cut = most <= 0 ? '' : text.slice(-most);
  return cut.length < text.length ? cut.replace(/^[\uDC00-\uDFFF]/, '') : cut;
};

/** With a mark if something is missing. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${beginningOf(text, most)}…` : text;
