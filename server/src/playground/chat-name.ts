import { shownName, visible } from '../platform/http/shown-text.ts';

/** As much as a list shows. */
const mostCharacters = 80;
const untitled = 'Untitled chat';

/** A chat's default name: the beginning of its first message. */
export function nameOf(firstMessage: string): string {
  // The message may be very long; only its beginning matters.
  const line = visible(firstMessage.slice(0, 1_000).replace(/\s+/g, ' ')).trim();
  const characters = [...line];
  const begin = characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join('')}…` : line;
  return shownName(mostCharacters).safeParse(begin).data ?? untitled;
}
