import { type Definition, noHash, readDefinition } from './definition.ts';
import { offeredName } from './tool-names.ts';

/** What a server says of its tools. */
export interface Listing {
  definitions: Definition[];
  /** There is more than was read. */
  cut: boolean;
}

export interface ListingPage {
  tools: unknown[];
  nextCursor?: string | null | undefined;
}

/** No model can choose among more, and every one of them is kept. */
export const mostTools = 500;
const mostPages = 50;
const mostCharacters = 2 * 1024 * 1024;

/** Page by page, until there is no further one, or one again, or enough. `marks`: as the newest revision has it. */
export async function readListing(
  server: string,
  page: (cursor: string | undefined) => Promise<ListingPage>,
  marks = false,
): Promise<Listing> {
  const definitions: Definition[] = [];
  const read = (cut: boolean): Listing => ({ definitions: withCollisions(server, definitions), cut });
  const cursors = new Set<string>();
  let characters = 0;
  let first: string | undefined;
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { tools, nextCursor } = await page(cursor);
    // An empty cursor is one like any other (revision 2026-07-28, pagination), but some servers mean the end by it, and begin anew.
    if (cursor === '' && JSON.stringify(tools) === first) return read(false);
    first ??= JSON.stringify(tools);
    for (const tool of tools) {
      const definition = readDefinition(tool, marks);
      if (!definition) continue;
      characters += definition.description.length + JSON.stringify(definition.inputSchema).length;
      if (definitions.length === mostTools || characters > mostCharacters) return read(true);
      definitions.push(definition);
    }
    if (typeof nextCursor !== 'string') return read(false);
    if (cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return read(true);
}

/** With what is listed besides to others: of two that have one name, the first counts. */
export function withMore(server: string, first: Listing, more: Listing): Listing {
  const known = new Set(first.definitions.map(({ name }) => name));
  const all = [...first.definitions, ...more.definitions.filter(({ name }) => !known.has(name))];
  const definitions = withCollisions(server, all.slice(0, mostTools));
  return { definitions, cut: first.cut || more.cut || all.length > mostTools };
}

/** Of two tools with one name nobody could say which is meant; a name that was altered gives way to one that was not. */
function withCollisions(server: string, definitions: Definition[]): Definition[] {
  const names = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of definitions) {
    if (names.has(name)) twice.add(name);
    names.add(name);
  }
  const byOffered = Map.groupBy(names, (name) => offeredName(server, name));
  const gives = (name: string): boolean => {
    const offered = offeredName(server, name);
    return byOffered.get(offered)!.length > 1 && offered !== `${server}__${name}`;
  };
  const seen = new Set<string>();
  return definitions.flatMap((definition) => {
    const { name } = definition;
    if (seen.has(name)) return [];
    seen.add(name);
    if (twice.has(name)) return [{ ...definition, ...noHash, problem: 'it is listed more than once' }];
    if (gives(name))
      return [{ ...definition, ...noHash, problem: 'its name becomes the same as that of another tool' }];
    return [definition];
  });
}
