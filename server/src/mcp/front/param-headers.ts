import { isObject } from '../../lib/is-object.ts';
import type { Params } from '../connection.ts';
import { headerName, mark, markedTypes } from '../marked-arguments.ts';
import { HeaderMismatch } from './endpoint.ts';

/*
 * A tool may require arguments to be repeated in headers, for intermediaries that do not read bodies (revision
 * 2026-07-28, Streamable HTTP, custom headers). Towards the server the headers are written anew from the body; here a
 * client's headers are compared with its body.
 */

interface Repeated {
  /** Path of the argument within the arguments. */
  path: readonly string[];
  header: string;
  isNumber: boolean;
}

const none: readonly Repeated[] = [];

/** Parsed once per cached definition; most have none. */
const known = new WeakMap<Params, readonly Repeated[]>();

function repeatedIn(schema: Params): readonly Repeated[] {
  const before = known.get(schema);
  if (before) return before;
  const found = JSON.stringify(schema).includes(`"${mark}"`) ? marked(schema, []) : none;
  known.set(schema, found);
  return found;
}

/** Only members reached through property names can be marked: elsewhere it would be ambiguous which value is meant. */
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

/** Throws if the headers of a client of the newest revision contradict the body. */
export function requireRepeated(schema: Params, given: unknown, headers: Headers | undefined): void {
  const repeated = repeatedIn(schema);
  if (repeated === none || headers?.get('mcp-protocol-version') !== '2026-07-28') return;
  for (const one of repeated) {
    const value = valueAt(given, one.path);
    const written = writtenAs(value);
    // An argument absent from the body needs no header; values that cannot be written in a header are left to the
    // server.
    if (written === null) continue;
    const sent = headers.get(one.header);
    if (sent === null) throw new HeaderMismatch(one.header, 'it is missing');
    const decoded = decodedFrom(sent);
    if (decoded === null) throw new HeaderMismatch(one.header, 'it is not Base64-encoded UTF-8');
    const isSame = decoded === written || (one.isNumber && isDecimal.test(decoded) && Number(decoded) === value);
    if (!isSame) throw new HeaderMismatch(one.header, `${one.path.join('.')} is different there`);
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

/** Null if the value is marked as encoded but does not decode. */
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
