import { sha256Hex } from '../lib/hashing.ts';

/** What all vendors of models take as the name of a function. */
const mostCharacters = 64;
const between = '__';

/**
 * `server__tool`. A name with other characters, or a longer one, is altered, and gets a piece of its hash so that two of
 * them do not become one. Names of servers hold no two underscores, so that the first pair of them ends the server's.
 */
export function offeredName(server: string, tool: string): string {
  const plain = `${server}${between}${tool}`;
  if (/^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= mostCharacters) return plain;
  const mark = `_${sha256Hex(tool).slice(0, 8)}`;
  return plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, mostCharacters - mark.length) + mark;
}

/** As the server calls it, unless the name had to be altered. */
export const plainNameOf = (server: string, offered: string): string => offered.slice(server.length + between.length);

/**
 * An organisation's server has the organisation's number behind its name, which names of others cannot have: those of two organisations that
 * somebody is in stay two, and none stands in the way of another.
 */
export const nameWithin = (organisationId: number, name: string): string => `${name}_${organisationId}`;
export function organisationIn(name: string): number | null {
  const [, id] = /_(\d{1,15})$/.exec(name) ?? [];
  return id === undefined ? null : Number(id);
}

/** Null where the name is no tool's of any server. */
export function serverOf(name: string): string | null {
  const server = name.slice(0, Math.max(0, name.indexOf(between)));
  return /^[a-z0-9-]{1,24}(_\d{1,15})?$/.test(server) ? server : null;
}
