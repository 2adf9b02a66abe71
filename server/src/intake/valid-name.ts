import { inOneLine, shownName, visible } from '../platform/http/shown-text.ts';

/** Any name as one that is valid here; `instead` if nothing of it can be shown. */
export function validName(text: string, most: number, instead: string): string {
  const cut = [...inOneLine(visible(text.slice(0, most * 8)))].slice(0, most).join('').trim();
  return shownName(most).safeParse(cut).data ?? instead;
}
