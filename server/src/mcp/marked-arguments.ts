import { isObject } from '../lib/is-object.ts';

type Schema = Record<string, unknown>;

/**
 * Marks an argument in a tool's schema that is repeated in a header (revision 2026-07-28, Streamable HTTP, custom
 * headers).
 */
export const mark = 'x-mcp-header';
/** RFC 9110 §5.1: valid header names. */
export const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
export const markedTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Keywords whose content is not a schema, and keywords that map names to schemas. */
const holdValues = new Set(['const', 'enum', 'default', 'examples']);
const holdNames = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Why a tool with this schema must not be offered; null if all its marks are valid. */
export const markProblem = (schema: Schema): string | null =>
  JSON.stringify(schema).includes(`"${mark}"`) ? problemIn(schema, 'root', new Set()) : null;

/** Only arguments reached through property names alone can be marked; otherwise the value would be ambiguous. */
type Reached = 'root' | 'by names' | 'otherwise';

function problemIn(schema: unknown, reached: Reached, taken: Set<string>): string | null {
  if (Array.isArray(schema)) return firstOf(schema, (part) => problemIn(part, 'otherwise', taken));
  if (!isObject(schema)) return null;
  const own = Object.hasOwn(schema, mark) ? markFault(schema, reached, taken) : null;
  return own ?? firstOf(Object.entries(schema), ([keyword, part]) => problemBelow(keyword, part, reached, taken));
}

function problemBelow(keyword: string, part: unknown, reached: Reached, taken: Set<string>): string | null {
  if (holdValues.has(keyword)) return null;
  if (!holdNames.has(keyword) || !isObject(part)) return problemIn(part, 'otherwise', taken);
  const below = keyword === 'properties' && reached !== 'otherwise' ? 'by names' : 'otherwise';
  return firstOf(Object.values(part), (member) => problemIn(member, below, taken));
}

function markFault({ [mark]: header, type }: Schema, reached: Reached, taken: Set<string>): string | null {
  if (reached !== 'by names') return `its schema has ${mark} in a place that does not belong to a single argument`;
  if (typeof header !== 'string' || !headerName.test(header)) return `its schema has ${mark} without a header name`;
  if (!markedTypes.has(type)) return `its schema has ${mark} on something other than a string, integer or boolean`;
  const name = header.toLowerCase();
  if (taken.has(name)) return `its schema uses one ${mark} name twice`;
  taken.add(name);
  return null;
}

function firstOf<T>(parts: readonly T[], problemOf: (part: T) => string | null): string | null {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== null) return problem;
  }
  return null;
}
