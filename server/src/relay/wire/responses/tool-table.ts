import { sha256Hex } from '../../../lib/hashing.ts';
import type { ToolName } from '../conversation.ts';

/** Vendors take no longer names of tools, and no other characters in them. */
const longest = 64;
const hashLength = 12;
const unusual = /[^a-zA-Z0-9_-]/g;

/** The client's search for tools, as models know it. */
export const searchName: ToolName = { name: 'tool_search', search: true };

const keyOf = ({ namespace, name, search }: ToolName): string =>
  JSON.stringify([namespace ?? null, name, ...(search ? [search] : [])]);

const plainName = ({ namespace, name }: ToolName): string => (namespace === undefined ? name : `${namespace}__${name}`);

/** Whose name on the way to models must not be that of a function. */
const isRenamed = ({ namespace, search }: ToolName): boolean => namespace !== undefined || search === true;

/** For names that are too long, have other characters or mean something else already: sure to be the tool's own. */
export function hashedName(tool: ToolName): string {
  const start = plainName(tool)
    .replace(unusual, '_')
    // Some want a letter there.
    .replace(/^[^a-zA-Z]/, '_')
    .slice(0, longest - hashLength - 1);
  return `${start}_${sha256Hex(keyOf(tool)).slice(0, hashLength)}`;
}

/** The tools of a request by the one flat name that models know each by, and back. */
export class ToolTable {
  /** What is not a plain function, by its flat name. */
  readonly named = new Map<string, ToolName>();
  readonly #flat = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** `functions`: names outside of namespaces, which stay as they are. */
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

  /** Also of a tool that an earlier request had. */
  flatOf(tool: ToolName): string {
    return this.#flat.get(keyOf(tool)) ?? this.#newName(tool);
  }
}
