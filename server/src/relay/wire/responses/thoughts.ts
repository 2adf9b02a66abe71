import type { Json, Part } from '../conversation.ts';
import { invalid } from '../read.ts';
import type { SearchPage, SearchPart } from '../search.ts';

/**
 * What a model's reasoning must be returned with, packed into `encrypted_content` of a reasoning item, so that it
 * survives a client that keeps nothing else. A call's signature names its call.
 */
export type Thought =
  | { type: 'thinking'; text: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'call'; id: string; signature: string }
  | { type: 'detail'; detail: Json }
  | SearchPart;

/** How packed content is encrypted for the way through the client. */
export interface Seals {
  seal(text: string): string;
  /** Null if it is not ours, or another caller's. Throws if it was modified. */
  open(sealed: string): string | null;
}

/** Prefix of our own content; anything else was encrypted by others. */
export const sealMark = 'svc.';

/** Without a key. */
export const unsealed: Seals = { seal: (text) => text, open: (sealed) => sealed };

/** Layout version, and a mark that it is ours rather than another gateway's. */
const mark = 'svc1';

const written = (text: string): string => Buffer.from(text).toString('base64url');
const readBack = (field: string): string => Buffer.from(field, 'base64url').toString();

/** Fields separated by colons, thoughts by dots: untrusted content needs no JSON parsing. */
export const pack = (thoughts: readonly Thought[]): string => [mark, ...joined(thoughts).map(packOne)].join('.');

function packOne(thought: Thought): string {
  switch (thought.type) {
    case 'thinking':
      return fields('t', thought.text, ...(thought.signature === undefined ? [] : [thought.signature]));
    case 'redacted_thinking':
      return fields('r', thought.data);
    case 'call':
      return fields('c', thought.id, thought.signature);
    case 'search': {
      const pages = thought.pages.flatMap(({ url, title, sealed = '', age = '' }) => [url, title, sealed, age]);
      return fields('s', thought.id, thought.queries.join(', '), ...pages);
    }
    case 'detail':
      return fields('d', ...Object.entries(thought.detail).flatMap(([name, value]) => [name, scalar(value)]));
  }
}

const fields = (kind: string, ...values: string[]): string => [kind, ...values.map(written)].join(':');

/** Details are flat; nested values are not a vendor's. */
const scalar = (value: unknown): string =>
  typeof value === 'string' ? `s${value}` : typeof value === 'number' ? `n${value}` : '';

const scalarOf = (text: string): unknown =>
  text.startsWith('s') ? text.slice(1) : text.startsWith('n') ? Number(text.slice(1)) : null;

/** Joins pieces of one detail that were streamed. */
function joined(thoughts: readonly Thought[]): Thought[] {
  const out: Thought[] = [];
  for (const thought of thoughts) {
    const last = out.at(-1);
    if (thought.type === 'detail' && last?.type === 'detail' && isMore(last.detail, thought.detail))
      out[out.length - 1] = { type: 'detail', detail: together(last.detail, thought.detail) };
    else out.push(thought);
  }
  return out;
}

const texts = ['summary', 'text', 'data'];

const isMore = (before: Json, detail: Json): boolean =>
  detail.index !== undefined && before.index === detail.index && before.type === detail.type;

function together(before: Json, detail: Json): Json {
  const out = { ...before, ...detail };
  for (const name of texts)
    if (typeof before[name] === 'string' && typeof detail[name] === 'string') out[name] = before[name] + detail[name];
  return out;
}

const changed = (param: string) => invalid(param, `'${param}' was modified; send reasoning items back unchanged.`);

/** Decrypts and unpacks; null if it is not ours. */
export function opened({ open }: Seals, sealed: string, param: string): Thought[] | null {
  let packed: string | null;
  try {
    packed = open(sealed);
  } catch {
    throw changed(param);
  }
  return packed === null ? null : unpack(packed, param);
}

/** Unpacks; null if it is not ours. */
export function unpack(text: string, param: string): Thought[] | null {
  const [found, ...packed] = text.split('.');
  return found === mark ? packed.map((one) => unpackOne(one, param)) : null;
}

function unpackOne(packed: string, param: string): Thought {
  const [kind, ...rest] = packed.split(':');
  const [first, second, ...more] = rest.map(readBack);
  if (first !== undefined) {
    if (kind === 't' && more.length === 0)
      return { type: 'thinking', text: first, ...(second !== undefined && { signature: second }) };
    if (kind === 'r' && second === undefined) return { type: 'redacted_thinking', data: first };
    if (kind === 'c' && second !== undefined && more.length === 0)
      return { type: 'call', id: first, signature: second };
    if (kind === 's' && second !== undefined && more.length % 4 === 0) return searchOf(first, second, more);
    if (kind === 'd' && second !== undefined && more.length % 2 === 0)
      return { type: 'detail', detail: detailOf([first, second, ...more]) };
  }
  throw changed(param);
}

function searchOf(id: string, query: string, members: string[]): SearchPart {
  const pages: SearchPage[] = [];
  for (let i = 0; i < members.length; i += 4) {
    const [url, title, sealed, age] = members.slice(i, i + 4) as [string, string, string, string];
    pages.push({ url, title, ...(sealed !== '' && { sealed }), ...(age !== '' && { age }) });
  }
  return { type: 'search', id, queries: query === '' ? [] : [query], pages };
}

function detailOf(pairs: string[]): Json {
  const entries: [string, unknown][] = [];
  for (let i = 0; i < pairs.length; i += 2) entries.push([pairs[i]!, scalarOf(pairs[i + 1]!)]);
  return Object.fromEntries(entries);
}

/** As parts of the assistant's turn; signatures of calls are returned separately. */
export const partsOf = (thoughts: readonly Thought[]): Part[] =>
  thoughts.flatMap((thought): Part[] => {
    if (thought.type === 'call') return [];
    return [thought.type === 'detail' ? { type: 'raw', format: 'chat', value: thought.detail } : thought];
  });
