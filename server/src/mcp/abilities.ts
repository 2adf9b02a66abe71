import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** What a client of the protocol with sessions can be asked, and that it shows what servers draw, by the letter that says so in the name of its session. */
const letters: Record<string, readonly [keyof ClientCapabilities, string?]> = {
  e: ['elicitation'],
  f: ['elicitation', 'form'],
  u: ['elicitation', 'url'],
  s: ['sampling'],
  c: ['sampling', 'context'],
  t: ['sampling', 'tools'],
  r: ['roots'],
  a: ['extensions', 'io.modelcontextprotocol/ui'],
};

/** What is said of these besides that they are there. */
const parts: Record<string, Params> = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

/** All that a client could say of itself. */
export const allAbilities = Object.keys(letters).join('');

/** As the client has said at the beginning; what is not among them is not passed on to any server. */
export function abilitiesIn(capabilities: unknown): string {
  const has = (given: unknown, name: string): boolean => isObject(given) && isObject(given[name]);
  if (!isObject(capabilities) || Object.keys(capabilities).length === 0) return '';
  return Object.entries(letters)
    .filter(([, [name, part]]) => has(capabilities, name) && (!part || has(capabilities[name], part)))
    .map(([letter]) => letter)
    .join('');
}

/** The same as it is said to a server. */
export function capabilitiesOf(abilities: string): ClientCapabilities {
  const said: Record<string, Params> = {};
  for (const letter of abilities) {
    const [name, part] = letters[letter]!;
    said[name] = { ...said[name], ...(part && { [part]: parts[part] ?? {} }) };
  }
  return said;
}

/** Clients of the newest revision have no session: those of one caller who can be asked the same share what is behind. */
export const sharedName = (abilities: string): string => `any-${abilities}`;

/** Of whoever has a session with a server: its name in front ends with them. */
export const abilitiesOf = (holder: string): string =>
  / (?:[0-9A-Za-z]{32}|any)-([acefrstu]{1,8})$/.exec(holder)?.[1] ?? '';

/** Nothing is kept for a session in front: all there is to know of it is in its name. */
export const isSessionName = (name: string): boolean => /^[0-9A-Za-z]{32}(?:-[acefrstu]{1,8})?$/.test(name);

export const sessionName = (random: string, abilities: string): string =>
  abilities === '' ? random : `${random}-${abilities}`;

/** What else an address can be (a script, a file) is no page that anybody is sent to. */
const isPage = (url: unknown): boolean => typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** Of what it did not say it can, a client is not even asked. */
export function canBeAsked(abilities: string, { method, params }: { method: string; params: Params }): boolean {
  const can = (letter: string): boolean => abilities.includes(letter);
  if (method === 'roots/list') return can('r');
  if (method === 'sampling/createMessage') return can('s') && (params.tools === undefined || can('t'));
  if (method !== 'elicitation/create') return false;
  // Revision 2025-11-25, elicitation: who names no mode has forms.
  return params.mode === 'url' ? can('u') && isPage(params.url) : can('f') || (can('e') && !can('u'));
}
