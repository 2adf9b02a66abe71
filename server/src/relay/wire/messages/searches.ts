import { objectsIn } from '../../../lib/is-object.ts';
import { isObject, type Json } from '../conversation.ts';
import type { SearchPage, SearchPart } from '../search.ts';
import { ownIndex } from './citations.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const isSearchCall = ({ type, name }: Json): boolean => type === 'server_tool_use' && name === 'web_search';
export const isSearchResult = ({ type }: Json): boolean => type === 'web_search_tool_result';

/** A search consists of two blocks, call and result. */
export const readSearch = (call: Json, result: Json | undefined): SearchPart => ({
  type: 'search',
  id: text(call.id),
  queries: isObject(call.input) && text(call.input.query) !== '' ? [text(call.input.query)] : [],
  // An error replaces the list of pages.
  pages: objectsIn(result?.content).map(readPage),
});

const readPage = ({ url, title, encrypted_content: sealed, page_age: age }: Json): SearchPage => ({
  url: text(url),
  title: text(title),
  ...(text(sealed) !== '' && { sealed: text(sealed) }),
  ...(text(age) !== '' && { age: text(age) }),
});

/** Anthropic's own ids; it refuses other vendors' blocks. */
const vendorIds = 'srvtoolu_';
const ownIds = `${vendorIds}svc_`;

const isVendors = ({ id, pages }: SearchPart): boolean =>
  id.startsWith(vendorIds) && !id.startsWith(ownIds) && pages.every(({ sealed }) => sealed !== undefined);

/** The two blocks of a search, whoever ran it. */
export function writeSearch(search: SearchPart): [call: Json, result: Json] {
  const id = isVendors(search) ? search.id : `${ownIds}${search.id.replace(/[^a-zA-Z0-9_]/g, '_')}`;
  const content = search.pages.map(({ url, title, sealed = ownIndex, age }) => ({
    ...{ type: 'web_search_result', url, title, encrypted_content: sealed, page_age: age ?? null },
  }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: search.queries.join(', ') } },
    { type: 'web_search_tool_result', tool_use_id: id, content },
  ];
}

/** For Anthropic itself: only its own searches. */
export const searchBack = (search: SearchPart): Json[] => (isVendors(search) ? writeSearch(search) : []);

/** Whether a block of the history belongs to another vendor's search. */
export const isForeignSearch = ({ id, tool_use_id }: Json): boolean =>
  text(id).startsWith(ownIds) || text(tool_use_id).startsWith(ownIds);
