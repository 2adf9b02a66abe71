import { isObject, type Json } from '../conversation.ts';

/** Integers that Google writes as strings, as all its 64-bit numbers. */
const counts = new Set(['maxItems', 'minItems', 'maxLength', 'minLength', 'maxProperties', 'minProperties']);
/** Hints for Google's models only. */
const hints = new Set(['propertyOrdering', 'nullable', 'example']);

/** Converts Google's schema subset to JSON Schema. */
export function fromGeminiSchema(schema: Json): Json {
  const entries = Object.entries(schema).filter(([key]) => !hints.has(key));
  const out: Json = Object.fromEntries(entries.map(([key, value]) => [key, memberOf(key, value)]));
  if (schema.example !== undefined) out.examples = [schema.example];
  // Not a JSON Schema format: it only says that there is an `enum`.
  if (out.format === 'enum') delete out.format;
  if (out.type === 'type_unspecified') delete out.type;
  return schema.nullable === true ? withNull(out) : out;
}

const inner = (value: unknown): unknown => (isObject(value) ? fromGeminiSchema(value) : value);

function memberOf(key: string, value: unknown): unknown {
  if (key === 'type' && typeof value === 'string') return value.toLowerCase();
  if (key === 'items') return inner(value);
  if (key === 'anyOf' && Array.isArray(value)) return value.map(inner);
  if (key === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)]));
  return counts.has(key) && typeof value === 'string' ? Number(value) : value;
}

function withNull(out: Json): Json {
  const withEnum = Array.isArray(out.enum) ? { enum: [...out.enum, null] } : {};
  if (typeof out.type === 'string') return { ...out, type: [out.type, 'null'], ...withEnum };
  return Array.isArray(out.anyOf) ? { ...out, anyOf: [...out.anyOf, { type: 'null' }] } : out;
}
