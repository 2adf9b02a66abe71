/** What the generator of the OpenAPI document writes wrongly. */

type Json = Record<string, unknown>;

/** A regular expression with flags keeps them, and the slash before them: `^a$/u`. */
const flagsAtEnd = /(?<!\\)\/[dgimsuvy]+$/;

/** `null` was refused: it is no object, as the schema that is referred to demands. */
function nullable({ allOf, ...rest }: Json): Json | null {
  if (!Array.isArray(allOf) || allOf.length !== 2) return null;
  const [named, kind] = allOf as [Json, Json];
  const isNullable = '$ref' in named && Array.isArray(kind.type) && kind.type.includes('null');
  return isNullable ? { ...rest, anyOf: [named, { type: 'null' }] } : null;
}

export function corrected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(corrected);
  if (typeof value !== 'object' || value === null) return value;
  const members = nullable(value as Json) ?? (value as Json);
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      name === 'pattern' && typeof member === 'string' ? member.replace(flagsAtEnd, '') : corrected(member),
    ]),
  );
}
