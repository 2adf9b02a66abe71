import { type Definition, noHash, readDefinition } from './definition.ts';
import { offeredName } from './tool-names.ts';

/** The tools that a server lists. */
export interface Listing {
  definitions: Definition[];
  /** The server has more than was read. */
  cut: boolean;
}

export interface ListingPage {
  tools: unknown[];
  nextCursor?: string | null | undefined;
}

/** No model can choose among more, and every one of them is stored. */
export const mostTools = 500;
const mostPages = 50;
const mostCharacters = 2 * 1024 * 1024;

/**
 * Reads page by page, until the last one, a repeated cursor, or a limit. `marks`: whether the newest revision's header
 * marks apply.
 */
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
    // An empty cursor is valid (revision 2026-07-28, pagination), but some servers mean the end by it and start over.
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

/** Adds tools that are listed only to other clients; for duplicate names the first definition wins. */
export function withMore(server: string, first: Listing, more: Listing): Listing {
  const known = new Set(first.definitions.map(({ name }) => name));
  const all = [...first.definitions, ...more.definitions.filter(({ name }) => !known.has(name))];
  const definitions = withCollisions(server, all.slice(0, mostTools));
  return { definitions, cut: first.cut || more.cut || all.length > mostTools };
}

/**
 * Tools with the same name are ambiguous, so they are not offered; if an altered name collides with an unaltered one,
 * the altered one is not offered.
 */
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
    if (gives(name)) return [{ ...definition, ...noHash, problem: "its name would be the same as another tool's" }];
    return [definition];
  });
}
