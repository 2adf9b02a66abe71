import { table } from '../../../lib/table.ts';
import { isObject, type Json } from '../../wire/conversation.ts';

/** The schema cannot be written in the subset that Anthropic accepts. */
class Inexpressible extends Error {}

/**
 * A response schema in the subset that Anthropic accepts; undefined if that would change which answers fit. Limits of
 * numbers, texts and lists are refused there and become part of the description, as Anthropic's own libraries do it.
 */
export function toClaudeSchema(schema: Json): Json | undefined {
  if (hasCycle(schema)) return undefined;
  try {
    return { ...write(schema), ...definitionsOf(schema) };
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

const places = ['$defs', 'definitions'];
const localName = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

const definitionsOf = (schema: Json): Json =>
  Object.fromEntries(places.flatMap((place) => (isObject(schema[place]) ? [[place, each(schema[place])]] : [])));

const each = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, write(one)]));

/** References that are found anywhere in a schema. */
function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    name === '$ref' && typeof held === 'string' ? [held] : refsIn(held),
  );
}

/** Recursive schemas are refused. */
function hasCycle(schema: Json): boolean {
  const held = new Map<string, string[]>();
  for (const place of places)
    for (const [name, one] of Object.entries(isObject(schema[place]) ? schema[place] : {}))
      held.set(
        name,
        refsIn(one).flatMap((ref) => localName.exec(ref)?.[1] ?? []),
      );
  const done = new Set<string>();
  const open = new Set<string>();
  const closes = (name: string): boolean => {
    if (open.has(name)) return true;
    if (done.has(name)) return false;
    open.add(name);
    const found = (held.get(name) ?? []).some(closes);
    open.delete(name);
    done.add(name);
    return found;
  };
  return [...held.keys()].some(closes);
}

/** Says nothing about answers, or is written elsewhere. */
const unsaid = new Set(['$schema', '$id', '$comment', 'default', 'examples', 'strict', 'nullable', ...places]);

/** Would hold answers to more, or to less, than the schema does. */
const untranslatable = [
  ...['not', 'if', 'patternProperties', 'propertyNames', 'dependentSchemas', 'prefixItems', 'contains'],
  'unevaluatedProperties',
];

function write(value: unknown): Json {
  if (!isObject(value) || untranslatable.some((name) => name in value)) throw new Inexpressible();
  const { $ref: ref, allOf, type, ...rest } = value;
  if (typeof ref === 'string') {
    if (!localName.test(ref)) throw new Inexpressible();
    return { $ref: ref };
  }
  if (Array.isArray(allOf)) {
    if (allOf.length !== 1 || type !== undefined) throw new Inexpressible();
    return write({ ...rest, ...(allOf[0] as Json) });
  }
  if (value.anyOf !== undefined && value.oneOf !== undefined) throw new Inexpressible();
  const options = value.anyOf ?? value.oneOf;
  if (Array.isArray(options)) {
    const { anyOf: _, oneOf: __, properties, ...about } = rest;
    if (properties !== undefined) throw new Inexpressible();
    return { anyOf: options.map(write), ...described(about, []) };
  }
  if (Array.isArray(value.enum) || value.const !== undefined) return literals(rest);
  if (Array.isArray(type))
    return { anyOf: [...new Set(type)].map((one) => write({ ...aboutType(one, rest), type: one })) };
  if (typeof type !== 'string' || !limitsOf.has(type)) throw new Inexpressible();
  return { type, ...(shapes[type]?.(rest) ?? described(rest, [])) };
}

/** The limits of each type of value. A map, since callers choose the names that are looked up. */
const limitsOf = new Map([
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ...['number', 'integer'].map((type): [string, string[]] => [
    type,
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ]),
  ['boolean', []],
  ['null', []],
]);
const allLimits = new Set([...limitsOf.values()].flat());

/** The part of a schema for several types that is about one: a copy of all of it would double at every level. */
function aboutType(type: string, schema: Json): Json {
  const own = limitsOf.get(type);
  return Object.fromEntries(Object.entries(schema).filter(([name]) => own?.includes(name) || !allLimits.has(name)));
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';

function literals(schema: Json): Json {
  const { enum: values, const: only, ...rest } = schema;
  if (!isPlain(only ?? null) || (Array.isArray(values) && !values.every(isPlain))) throw new Inexpressible();
  return {
    ...(values !== undefined && { enum: values }),
    ...(only !== undefined && { const: only }),
    ...described(rest, []),
  };
}

const formats = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ');

const shapes = table<(schema: Json) => Json>({
  object({ properties, required, additionalProperties: more, ...rest }) {
    // Members of any name are refused, so such an object would always be empty.
    if (!isObject(properties) || isObject(more)) throw new Inexpressible();
    return {
      properties: each(properties),
      ...(required !== undefined && { required }),
      additionalProperties: false,
      ...described(rest, []),
    };
  },
  array({ items, minItems, ...rest }) {
    const least = minItems === 0 || minItems === 1;
    return {
      items: write(items),
      ...(least && { minItems }),
      ...described({ ...rest, ...(!least && minItems !== undefined && { minItems }) }, []),
    };
  },
  string: (schema) => described(schema, formats.some((format) => format === schema.format) ? ['format'] : []),
});

/** Title, description and the `kept` members; the rest is appended to the description. */
function described(schema: Json, kept: string[]): Json {
  const { title, description, ...rest } = schema;
  const told = Object.entries(rest).filter(([name]) => !kept.includes(name) && !unsaid.has(name));
  const limits = told.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
  const words = [description, limits === '' ? undefined : `{${limits}}`].filter((text) => typeof text === 'string');
  return {
    ...Object.fromEntries(kept.map((name) => [name, schema[name]])),
    ...(title !== undefined && { title }),
    ...(words.length > 0 && { description: words.join('\n\n') }),
  };
}
