import { isObject } from './is-object.ts';

type Json = Record<string, unknown>;

/** Bounds the work for schemas whose branches refer to each other many times. */
const mostMembers = 20_000;
const mostCompared = 1_000_000;
/** Bounds the stack for chains of references. */
const maxDepth = 32;

const unionWords = ['anyOf', 'oneOf', 'allOf', 'not', '$ref'];

/**
 * A tool's parameters without the unions at the top level that OpenAI and Anthropic refuse: one object with the members
 * of all branches, which requires what each of them requires. The tool itself checks the rest.
 */
export const asOneObject = (schema: Json): Json => (isUnion(schema) ? new Merger(schema).merged(schema) : schema);

/** The same with what OpenAI requires: an object's properties, and what a list holds. */
export function asFunctionParameters(schema: Json): Json {
  const whole = withItems(asOneObject(schema), 0) as Json;
  const { type = 'object', properties = {} } = whole;
  return type === whole.type && properties === whole.properties ? whole : { ...whole, type, properties };
}

/** Where a schema holds others. */
const single = ['items', 'additionalProperties', 'not'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', '$defs', 'definitions'];
const deepest = 64;

/** The same object where nothing is missing. */
function withItems(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > deepest) return schema;
  const each = (held: unknown): unknown => withItems(held, depth + 1);
  let whole = schema;
  const put = (name: string, held: unknown): void => {
    if (held !== whole[name]) whole = { ...whole, [name]: held };
  };
  for (const name of single) put(name, each(schema[name]));
  for (const name of lists) put(name, Array.isArray(schema[name]) ? eachIn(schema[name], each) : schema[name]);
  for (const name of maps) put(name, isObject(schema[name]) ? eachOf(schema[name], each) : schema[name]);
  const isList = schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'));
  return isList && schema.items === undefined ? { ...whole, items: {} } : whole;
}

function eachIn(list: unknown[], change: (held: unknown) => unknown): unknown[] {
  const changed = list.map(change);
  return changed.some((held, i) => held !== list[i]) ? changed : list;
}

function eachOf(map: Json, change: (held: unknown) => unknown): Json {
  const changed = Object.entries(map).map(([name, held]) => [name, change(held)] as const);
  return changed.some(([name, held]) => held !== map[name]) ? Object.fromEntries(changed) : map;
}

const isUnion = (schema: Json): boolean => unionWords.some((word) => schema[word] !== undefined);

class Merger {
  /** Each object is merged once; null until it is, which ends recursion. */
  readonly #known = new Map<Json, Json | null>();
  #members = mostMembers;
  #letters = mostCompared;
  #depth = 0;

  constructor(private readonly root: Json) {}

  merged(given: Json): Json {
    this.#known.set(given, null);
    const { $ref, anyOf, oneOf, allOf, not: _, ...own } = given;
    const all = [own, ...this.#branches([this.#target($ref)]), ...this.#branches(allOf)];
    const either = [this.#branches(anyOf), this.#branches(oneOf)];
    const required = new Set([...all.flatMap(requiredIn), ...either.flatMap(requiredInEach)]);
    const whole = {
      ...own,
      type: 'object',
      properties: this.#properties([...all, ...either.flat()]),
      ...(required.size > 0 && { required: [...required] }),
    };
    this.#known.set(given, whole);
    return whole;
  }

  #target(ref: unknown): unknown {
    const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(ref)) ?? [];
    const held = this.root[place];
    return isObject(held) && Object.hasOwn(held, name) ? held[name] : undefined;
  }

  /** The branches that are objects. What stands beside a branch's reference is left out. */
  #branches(list: unknown): Json[] {
    const targets = new Set(Array.isArray(list) ? list.map((one) => this.#behind(one)) : []);
    return [...targets].flatMap((target) => {
      if (!isObject(target) || (target.type !== undefined && target.type !== 'object')) return [];
      const whole = isUnion(target) ? this.#once(target) : target;
      this.#members -= 1 + (isObject(whole.properties) ? Object.keys(whole.properties).length : 0);
      return this.#members < 0 ? [] : [whole];
    });
  }

  #once(target: Json): Json {
    const known = this.#known.get(target);
    if (known !== undefined || this.#depth === maxDepth) return known ?? {};
    this.#depth += 1;
    const whole = this.merged(target);
    this.#depth -= 1;
    return whole;
  }

  #behind(branch: unknown): unknown {
    return isObject(branch) && branch.$ref !== undefined ? this.#target(branch.$ref) : branch;
  }

  #properties(parts: readonly Json[]): Json {
    const held = new Map<string, Set<unknown>>();
    for (const { properties } of parts) {
      for (const [name, schema] of Object.entries(isObject(properties) ? properties : {}))
        held.set(name, (held.get(name) ?? new Set()).add(schema));
    }
    return Object.fromEntries([...held].map(([name, schemas]) => [name, this.#eitherOf([...schemas])]));
  }

  /** Discriminators become one list of options. */
  #eitherOf(schemas: unknown[]): unknown {
    const options = schemas.map(optionsOf);
    if (schemas.length > 1 && options.every((list) => list !== undefined)) {
      const { const: _, ...first } = schemas[0] as Json;
      return { ...first, enum: [...new Set(options.flat())] };
    }
    const distinct = [...new Map(schemas.map((schema) => [this.#nameOf(schema, schemas.length), schema])).values()];
    return distinct.length === 1 ? distinct[0] : { anyOf: distinct.map((one) => (isObject(one) ? one : {})) };
  }

  /** The same for equal schemas, as long as comparing them is no work. */
  #nameOf(schema: unknown, of: number): unknown {
    if (of === 1 || this.#letters < 0) return schema;
    const text = JSON.stringify(schema);
    this.#letters -= text.length;
    return text;
  }
}

const requiredIn = ({ required }: Json): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

function requiredInEach([first, ...others]: Json[]): string[] {
  const sets = others.map((branch) => new Set(requiredIn(branch)));
  return first ? requiredIn(first).filter((name) => sets.every((set) => set.has(name))) : [];
}

function optionsOf(schema: unknown): unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}
