import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** What a client of the protocol with sessions can be asked, by the letter that says so in the name of its session. */
const letters: Record<string, readonly [keyof ClientCapabilities, string?]> = {
  e: ['elicitation'],
  f: ['elicitation', 'form'],
  u: ['elicitation', 'url'],
  s: ['sampling'],
  c: ['sampling', 'context'],
  t: ['sampling', 'tools'],
  r: ['roots'],
};

/** Which of them a request of a server needs. */
const letterOf: Record<string, string> = {
  'elicitation/create': 'e',
  'sampling/createMessage': 's',
  'roots/list': 'r',
};

/** As the client has said at the beginning; what is not among them is not passed on to any server. */
export function abilitiesIn(capabilities: unknown): string {
  const has = (given: unknown, name: string): boolean => isObject(given) && isObject(given[name]);
  return Object.entries(letters)
    .filter(([, [name, part]]) => has(capabilities, name) && (!part || has((capabilities as Params)[name], part)))
    .map(([letter]) => letter)
    .join('');
}

/** The same as it is said to a server. */
export function capabilitiesOf(abilities: string): ClientCapabilities {
  const said: Record<string, Params> = {};
  for (const letter of abilities) {
    const [name, part] = letters[letter]!;
    said[name] = { ...said[name], ...(part && { [part]: {} }) };
  }
  return said;
}

/** Of the client whose session with a server it is: the name of its session in front ends with them. */
export const abilitiesOf = (holder: string): string => / [0-9A-Za-z]{32}-([cefrstu]{1,7})$/.exec(holder)?.[1] ?? '';

/** Nothing is kept for a session in front: all there is to know of it is in its name. */
export const isSessionName = (name: string): boolean => /^[0-9A-Za-z]{32}(?:-[cefrstu]{1,7})?$/.test(name);

export const sessionName = (random: string, abilities: string): string =>
  abilities === '' ? random : `${random}-${abilities}`;

export const canBeAsked = (abilities: string, method: string): boolean =>
  Object.hasOwn(letterOf, method) && abilities.includes(letterOf[method]!);
