import { sha256Hex } from '../lib/hashing.ts';

/** The limit that all model vendors accept for function names. */
const mostCharacters = 64;
const between = '__';

/**
 * `server__tool`. A name that is too long or has other characters is altered and gets part of its hash, so that two
 * names do not collide. Server names contain no double underscore, so the first one ends the server's name.
 */
export function offeredName(server: string, tool: string): string {
  const plain = `${server}${between}${tool}`;
  if (/^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= mostCharacters) return plain;
  const mark = `_${sha256Hex(tool).slice(0, 8)}`;
  return plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, mostCharacters - mark.length) + mark;
}

/** The server's own name for the tool, unless the name had to be altered. */
export const plainNameOf = (server: string, offered: string): string => offered.slice(server.length + between.length);

/**
 * An organisation's server has the organisation's id as a suffix, which other names cannot have, so servers of several
 * organisations that a user is in do not collide.
 */
export const nameWithin = (organisationId: number, name: string): string => `${name}_${organisationId}`;
export function organisationIn(name: string): number | null {
  const [, id] = /_(\d{1,15})$/.exec(name) ?? [];
  return id === undefined ? null : Number(id);
}

/** Null if it cannot be the name of a server's tool. */
export function serverOf(name: string): string | null {
  const server = name.slice(0, Math.max(0, name.indexOf(between)));
  return /^[a-z0-9-]{1,24}(_\d{1,15})?$/.test(server) ? server : null;
}
