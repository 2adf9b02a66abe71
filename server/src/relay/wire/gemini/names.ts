import { isObject, type Json } from '../conversation.ts';

/** Members with caller-defined content, whose names must not be changed. */
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
 * Google accepts every field in camelCase and snake_case. This normalises to camelCase, which also wins if both are
 * given.
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
  // Property names of a schema are the caller's; their values are schemas again.
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, documentedNames(item)]));
  return documentedNames(value);
}

const documentedName = (key: string): string =>
  key.includes('_') && !callersOwn.has(key)
    ? key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;

/** Google accepts a single element where a list belongs, and its own examples use that. */
export const listOf = (value: unknown): unknown => (isObject(value) ? [value] : value);

/** The body in its documented form. */
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
