import { plainText } from '../../../lib/plain-text.ts';
import { table } from '../../../lib/table.ts';
import { isObject, type Json } from '../../wire/conversation.ts';

/** Members of Gemini's schema; it refuses requests with any others, and clients keep adding new ones. */
const known = new Set([
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'default', 'example', 'pattern', 'anyOf'],
  ...['properties', 'required', 'propertyOrdering', 'minProperties', 'maxProperties', 'items', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'minimum', 'maximum'],
]);

const knownFormats = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);

/** Deeper schemas are recursive, which Gemini cannot express. */
const maxDepth = 32;
/** Bounds schemas whose references double at each step. */
const maxNodes = 5000;

interface Context {
  defs: Json;
  nodes: number;
  /** References being followed, to detect cycles. */
  open: string[];
}

/** Converts JSON Schema to the subset that Gemini's function declarations and `responseSchema` accept. */
export function toGeminiSchema(schema: Json): Json {
  const defs = { ...(isObject(schema.definitions) && schema.definitions), ...(isObject(schema.$defs) && schema.$defs) };
  return convert(schema, { defs, nodes: 0, open: [] }, 0);
}

function convert(given: Json, context: Context, depth: number): Json {
  const ref = typeof given.$ref === 'string' ? given.$ref : undefined;
  context.nodes += 1;
  if (depth > maxDepth || context.nodes > maxNodes || (ref !== undefined && context.open.includes(ref))) {
    return { type: 'object' };
  }
  if (ref === undefined) return convertNode(given, context, depth);
  context.open.push(ref);
  const out = convertNode(resolve(given, context.defs), context, depth);
  context.open.pop();
  return out;
}

function convertNode(given: Json, context: Context, depth: number): Json {
  const schema = merge(given, context.defs);
  const out: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (known.has(key)) out[key] = value;
  }
  if (schema.const !== undefined) out.enum = [plainText(schema.const)];
  if (out.enum !== undefined && out.type === undefined) out.type = 'string';
  if (Array.isArray(out.enum)) nameOptions(out, out.enum);
  if (typeof out.format === 'string' && !knownFormats.has(out.format)) delete out.format;
  // `true` accepts anything; a tuple has no counterpart.
  const inner = (value: unknown): unknown => (isObject(value) ? convert(value, context, depth + 1) : {});
  if (isObject(out.properties)) {
    const possible = Object.entries(out.properties).filter(([, value]) => value !== false);
    out.properties = Object.fromEntries(possible.map(([name, value]) => [name, inner(value)]));
  }
  if (out.items !== undefined) out.items = inner(out.items);
  oneType(out);
  const options = out.anyOf ?? schema.oneOf;
  if (Array.isArray(options) && !Array.isArray(schema.type)) anyOf(out, options.map(inner));
  return asDemanded(alone(out));
}

/** Neither null nor an empty text can be an option. */
function nameOptions(out: Json, options: unknown[]): void {
  const named = options.filter((item) => item !== null && item !== '').map(plainText);
  if (named.length > 0) out.enum = named;
  else delete out.enum;
}

/**
 * A union stands alone: its siblings are merged into each branch. Branches that only narrow, such as conditional
 * required members, have no counterpart.
 */
function alone(out: Json): Json {
  const { anyOf: options, ...beside } = out;
  if (!Array.isArray(options)) return out;
  const says = (option: unknown): option is Json => isObject(option) && Object.keys(option).length > 0;
  if (!options.every(says) || 'properties' in beside || 'items' in beside) return beside;
  return { anyOf: options.map((option) => ({ ...beside, ...option })) };
}

/** Removes what Gemini refuses although other vendors accept it: empty lists, and required names without a property. */
function asDemanded(out: Json): Json {
  if (out.type === undefined && out.anyOf === undefined) {
    if (out.properties !== undefined) out.type = 'object';
    else if (out.items !== undefined) out.type = 'array';
  }
  if (out.type === 'array') out.items ??= {};
  if (Array.isArray(out.required)) {
    const names = isObject(out.properties) ? out.properties : {};
    out.required = out.required.filter((name) => typeof name === 'string' && Object.hasOwn(names, name));
    if ((out.required as string[]).length === 0) delete out.required;
  }
  if (Array.isArray(out.enum) && out.type !== 'string') {
    // Only string enums are supported, so other values are listed in the description.
    out.description = [out.description, `One of: ${out.enum.join(', ')}`].filter((text) => text).join('. ');
    delete out.enum;
  }
  return out;
}

function resolve(schema: Json, defs: Json): Json {
  if (typeof schema.$ref !== 'string') return schema;
  const target = defs[schema.$ref.split('/').at(-1) ?? ''];
  const { $ref: _, ...rest } = schema;
  return isObject(target) ? { ...target, ...rest } : rest;
}

/** `allOf` is merged into a single object. */
function merge(schema: Json, defs: Json): Json {
  if (!Array.isArray(schema.allOf)) return schema;
  const all = [schema, ...schema.allOf.filter(isObject).map((item) => resolve(item, defs))];
  const properties = Object.assign({}, ...all.map((item) => item.properties ?? {}));
  const required = all.flatMap((item) => (Array.isArray(item.required) ? item.required : []));
  return {
    ...Object.assign({}, ...all.slice(1), schema),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** Members that are refused beside another type. */
const membersOf = table<readonly string[]>({
  object: ['properties', 'required', 'propertyOrdering', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['enum', 'format', 'pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
});

/** `type: ["string", "null"]` becomes `nullable`; other unions become `anyOf`. */
function oneType(out: Json): void {
  if (!Array.isArray(out.type)) return;
  const types = out.type.filter((type) => type !== 'null');
  if (types.length < out.type.length) out.nullable = true;
  if (types.length === 1) {
    out.type = types[0];
    return;
  }
  delete out.type;
  const members = (type: unknown) =>
    ((typeof type === 'string' && membersOf[type]) || []).filter((name) => name in out);
  out.anyOf = types.map((type) =>
    asDemanded({ type, ...Object.fromEntries(members(type).map((name) => [name, out[name]])) }),
  );
  for (const name of types.flatMap(members)) delete out[name];
}

function anyOf(out: Json, options: unknown[]): void {
  const real = options.filter((option) => !(isObject(option) && option.type === 'null'));
  if (real.length < options.length) out.nullable = true;
  if (real.length === 1 && isObject(real[0])) {
    delete out.anyOf;
    Object.assign(out, real[0]);
  } else out.anyOf = real;
}
