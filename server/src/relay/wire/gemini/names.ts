import { isObject, type Json } from '../conversation.ts';

/** Members that hold what belongs to the caller: whatever is called how in there, nobody renames it. */
const callersOwn = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  'default',
  'example',
  'labels',
  'partMetadata',
  'provider',
  'svc_ms',
]);

/**
 * Google takes every field in two spellings, `maxOutputTokens` and `max_output_tokens`. From here on there is the first one
 * only; where both are given it counts.
 */
export function documentedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentedNames);
  if (!isObject(value)) return value;
  const entries: [string, unknown][] = [];
  for (const key in value) {
    const name = documentedName(key);
    if (name !== key && Object.hasOwn(value, name)) continue;
    entries.push([name, below(name, value[key])]);
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(entries);
}

function below(name: string, value: unknown): unknown {
  if (callersOwn.has(name)) return value;
  // The names of a schema's properties are the caller's; what they name is a schema again.
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, documentedNames(item)]));
  return documentedNames(value);
}

const documentedName = (key: string): string =>
  key.includes('_') && !callersOwn.has(key)
    ? key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;

/** Google reads one element where a list belongs as a list of it, and its own examples are written so. */
export const listOf = (value: unknown): unknown => (isObject(value) ? [value] : value);

/** The body in the one form that the rest knows. */
export function documentedBody(given: Json): Json {
  const body = documentedNames(given) as Json;
  if (body.contents != null) {
    const contents = listOf(body.contents);
    body.contents = Array.isArray(contents) ? contents.map(withPartList) : contents;
  }
  if (body.systemInstruction != null) body.systemInstruction = withPartList(body.systemInstruction);
  if (body.tools != null) body.tools = listOf(body.tools);
  return body;
}

export const withPartList = (content: unknown): unknown =>
  isObject(content) ? { ...content, parts: listOf(content.parts ?? []) } : content;
