import { isObject } from '../../lib/is-object.ts';
import type { Params } from '../connection.ts';
import { headerName, mark, markedTypes } from '../marked-arguments.ts';
import { HeaderMismatch } from './served.ts';

/*
 * A tool may want arguments repeated in headers, for whoever stands between and reads no bodies (revision 2026-07-28,
 * Streamable HTTP, custom headers). Behind us they are written anew from the body: what a client sent to us is compared here.
 */

interface Repeated {
  /** Where the argument stands. */
  path: readonly string[];
  header: string;
  isNumber: boolean;
}

const none: readonly Repeated[] = [];

/** Read once for each definition that is kept: most have none. */
const known = new WeakMap<Params, readonly Repeated[]>();

function repeatedIn(schema: Params): readonly Repeated[] {
  const before = known.get(schema);
  if (before) return before;
  const found = JSON.stringify(schema).includes(`"${mark}"`) ? marked(schema, []) : none;
  known.set(schema, found);
  return found;
}

/** Only members that are reached by names alone can be marked: of others nobody could say which value is meant. */
function marked({ properties }: Params, path: readonly string[]): Repeated[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]) => {
    if (!isObject(member)) return [];
    const at = [...path, name];
    const { [mark]: header, type } = member;
    const counts = typeof header === 'string' && headerName.test(header) && markedTypes.has(type);
    const own = { path: at, header: `Mcp-Param-${header}`, isNumber: type === 'integer' };
    return [...(counts ? [own] : []), ...marked(member, at)];
  });
}

/** Throws where a client of the newest revision says one thing in its headers and another in the body. */
export function requireRepeated(schema: Params, given: unknown, headers: Headers | undefined): void {
  const repeated = repeatedIn(schema);
  if (repeated === none || headers?.get('mcp-protocol-version') !== '2026-07-28') return;
  for (const one of repeated) {
    const value = valueAt(given, one.path);
    const written = writtenAs(value);
    // What is not in the body is not expected, and what cannot stand in a header is for the server to judge.
    if (written === null) continue;
    const sent = headers.get(one.header);
    if (sent === null) throw new HeaderMismatch(one.header, 'it is missing');
    const decoded = decodedFrom(sent);
    if (decoded === null) throw new HeaderMismatch(one.header, 'it is not Base64 of UTF-8');
    const isSame = decoded === written || (one.isNumber && isDecimal.test(decoded) && Number(decoded) === value);
    if (!isSame) throw new HeaderMismatch(one.header, `${one.path.join('.')} is another there`);
  }
}

function valueAt(given: unknown, path: readonly string[]): unknown {
  let value = given;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function writtenAs(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const isPlain = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isPlain ? String(value) : null;
}

const isDecimal = /^-?\d+(\.\d+)?$/;
const encoded = /^=\?base64\?(.*)\?=$/s;
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** Null for what says that it is encoded, and is not. */
function decodedFrom(sent: string): string | null {
  const inside = encoded.exec(sent)?.[1];
  if (inside === undefined) return sent;
  if (!base64.test(inside)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(inside, 'base64'));
  } catch {
    return null;
  }
}
