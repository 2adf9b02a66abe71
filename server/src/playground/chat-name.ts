import { shownName, visible } from '../platform/http/shown-text.ts';

/** As much as a list shows. */
const mostCharacters = 80;
const untitled = 'Untitled chat';

/** What a chat is called until somebody renames it: how its first message begins. */
export function nameOf(firstMessage: string): string {
  // A whole book may have been pasted, of which only the beginning is looked at.
  const line = visible(firstMessage.slice(0, 1_000).replace(/\s+/g, ' ')).trim();
  const characters = [...line];
  const begin = characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join('')}…` : line;
  return shownName(mostCharacters).safeParse(begin).data ?? untitled;
}
