import { inOneLine, visible } from '../../platform/http/shown-text.ts';

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * User-supplied text in mails: kept on one line, so that it cannot add headers or lines, and without direction
 * overrides; right-to-left text is isolated, so that it does not reorder numbers.
 */
function contained(text: string): string {
  const line = visible(inOneLine(text.replace(/\s/g, ' ')));
  return rightToLeft.test(line) ? `\u2068${line}\u2069` : line;
}

/** Names may be older than the validation of names. */
export const sanitizeNames = <T extends object>(about: T): T =>
  // The same members, of the same types.
  Object.fromEntries(
    Object.entries(about).map(([name, value]) => [name, typeof value === 'string' ? contained(value) : value]),
  ) as T;
