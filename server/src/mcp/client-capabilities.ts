import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { isObject } from '../lib/is-object.ts';
import { table } from '../lib/table.ts';

type Params = Record<string, unknown>;

/**
 * Capabilities of clients of the protocol with sessions: what they can be asked, and whether they render a server's UI.
 * Each has a letter, which is part of the session's name.
 */
const letters = table<readonly [keyof ClientCapabilities, string?]>({
  e: ['elicitation'],
  f: ['elicitation', 'form'],
  u: ['elicitation', 'url'],
  s: ['sampling'],
  c: ['sampling', 'context'],
  t: ['sampling', 'tools'],
  r: ['roots'],
  a: ['extensions', 'io.modelcontextprotocol/ui'],
});

/** The values of capabilities that are not just an empty object. */
const parts = table<Params>({ 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } });

/** All capabilities that a client can declare. */
export const allCapabilities = Object.keys(letters).join('');

/**
 * Reads the capabilities a client declared on initialize; any that are not listed above are not forwarded to servers.
 */
export function encodeCapabilities(capabilities: unknown): string {
  const has = (given: unknown, name: string): boolean => isObject(given) && isObject(given[name]);
  if (!isObject(capabilities) || Object.keys(capabilities).length === 0) return '';
  return Object.entries(letters)
    .filter(([, [name, part]]) => has(capabilities, name) && (!part || has(capabilities[name], part)))
    .map(([letter]) => letter)
    .join('');
}

/** The inverse: the capabilities as they are declared to a server. */
export function decodeCapabilities(abilities: string): ClientCapabilities {
  const said: Record<string, Params> = {};
  for (const letter of abilities) {
    const [name, part] = letters[letter]!;
    said[name] = { ...said[name], ...(part && { [part]: parts[part] ?? {} }) };
  }
  return said;
}

/**
 * Clients of the newest revision have no session: those of one caller with the same capabilities share the session with
 * the server.
 */
export const sharedSessionName = (abilities: string): string => `any-${abilities}`;

/** The capabilities of a session's holder: the client's session name, and so the holder, ends with them. */
export const capabilitiesOfHolder = (holder: string): string =>
  / (?:[0-9A-Za-z]{32}|any)-([acefrstu]{1,8})$/.exec(holder)?.[1] ?? '';

/** No state is kept for a client's session: its name contains everything there is to know about it. */
export const isSessionName = (name: string): boolean => /^[0-9A-Za-z]{32}(?:-[acefrstu]{1,8})?$/.test(name);

export const sessionName = (random: string, abilities: string): string =>
  abilities === '' ? random : `${random}-${abilities}`;

/** Users are only sent to web pages, not to other kinds of URL such as scripts or files. */
const isPage = (url: unknown): boolean => typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '');

/** A client is asked only for what it declared it can do. */
export function canBeAsked(abilities: string, { method, params }: { method: string; params: Params }): boolean {
  const can = (letter: string): boolean => abilities.includes(letter);
  if (method === 'roots/list') return can('r');
  if (method === 'sampling/createMessage') return can('s') && (params.tools === undefined || can('t'));
  if (method !== 'elicitation/create') return false;
  // Revision 2025-11-25, elicitation: a client that names no mode supports forms.
  return params.mode === 'url' ? can('u') && isPage(params.url) : can('f') || (can('e') && !can('u'));
}
