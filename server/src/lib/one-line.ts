/** Ends of lines, for some readers: Python splits text at the last three, too. */
export const lineEnd = /[\n\r\u0085\u2028\u2029]/;

/**
 * JSON as one line, otherwise as it was written: numbers keep their digits. Raw LF and CR stand only between values, with
 * blanks that indent what follows; the other ends of lines stand only in strings, where they can be escaped.
 */
export const oneLine = (json: string): string =>
  lineEnd.test(json) ? withEscapedEnds(json.replace(/[\n\r][ \t\n\r]*/g, '')) : json;

/** For JSON of one line: escapes the ends of lines that may stand in its strings. */
export const withEscapedEnds = (text: string): string => text.replace(/[\u0085\u2028\u2029]/g, escaped);

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
