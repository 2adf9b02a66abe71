import { sha256Hex } from '../../../lib/hashing.ts';
import type { ToolName } from '../conversation.ts';

/** The longest tool name that vendors accept. */
const longest = 64;
const hashLength = 12;
const unusual = /[^a-zA-Z0-9_-]/g;

/** The client's tool search, as models know it. */
export const searchName: ToolName = { name: 'tool_search', search: true };

const keyOf = ({ namespace, name, search }: ToolName): string =>
  JSON.stringify([namespace ?? null, name, ...(search ? [search] : [])]);

const plainName = ({ namespace, name }: ToolName): string => (namespace === undefined ? name : `${namespace}__${name}`);

/** Whether its name towards models must differ from a function's. */
const isRenamed = ({ namespace, search }: ToolName): boolean => namespace !== undefined || search === true;

/** A unique name for tools whose own is too long, has other characters, or is taken. */
export function hashedName(tool: ToolName): string {
  const start = plainName(tool)
    .replace(unusual, '_')
    // Some vendors require a leading letter.
    .replace(/^[^a-zA-Z]/, '_')
    .slice(0, longest - hashLength - 1);
  return `${start}_${sha256Hex(keyOf(tool)).slice(0, hashLength)}`;
}

/** Maps a request's tools to flat names for models, and back. */
export class ToolTable {
  /** Tools other than plain functions, by flat name. */
  readonly named = new Map<string, ToolName>();
  readonly #flat = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** `functions`: names outside namespaces, which stay unchanged. */
  constructor(functions: Iterable<string> = []) {
    for (const name of functions) this.#taken.add(name);
  }

  add(tool: ToolName): string {
    const key = keyOf(tool);
    const known = this.#flat.get(key);
    const flat = known ?? this.#newName(tool);
    this.#flat.set(key, flat);
    if (isRenamed(tool)) this.#taken.add(flat);
    if (isRenamed(tool) || tool.custom) this.named.set(flat, tool);
    return flat;
  }

  #newName(tool: ToolName): string {
    if (!isRenamed(tool)) return tool.name;
    const plain = plainName(tool);
    const usual = plain.length <= longest && plain.search(unusual) === -1;
    return usual && !this.#taken.has(plain) ? plain : hashedName(tool);
  }

  /** Also for a tool of an earlier request. */
  flatOf(tool: ToolName): string {
    return this.#flat.get(keyOf(tool)) ?? this.#newName(tool);
  }
}
