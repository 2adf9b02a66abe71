import { inOneLine, visible } from '../../platform/http/shown-text.ts';

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * What somebody has written stays one line, so that it adds none to a header or a text, and stays in its place: it may hold
 * nothing that turns what follows around, and letters that run leftwards are kept (by isolates) from taking numbers along.
 */
function contained(text: string): string {
  const line = visible(inOneLine(text.replace(/\s/g, ' ')));
  return rightToLeft.test(line) ? `\u2068${line}\u2069` : line;
}

/** Whoever named something may have named it before names were looked at closely. */
export const allContained = <T extends object>(about: T): T =>
  // The same members, of the same types.
  Object.fromEntries(
    Object.entries(about).map(([name, value]) => [name, typeof value === 'string' ? contained(value) : value]),
  ) as T;
