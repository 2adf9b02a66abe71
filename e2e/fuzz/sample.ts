/** Values that roughly match a JSON schema of the OpenAPI document. */
import type { Random } from './random.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
}

export interface Sampling {
  random: Random;
  /** `components.schemas` of the document. */
  schemas: Record<string, Schema>;
  /** Creates valid values, and known ones if possible. */
  careful: boolean;
  /** Share of optional members to include, 0 to 1. */
  optionalShare: number;
  /** Values that exist in the service, by the name of the field. */
  known(name: string): readonly unknown[] | undefined;
}

/** An existing value gets a request further than an invented one. */
const knownShare = 0.85;

export function sample(schema: Schema, name: string, how: Sampling, depth = 0): unknown {
  const { random } = how;
  // Members of one name mean different things; parts of addresses are texts anyway.
  const known = depth === 0 ? how.known(name) : how.known(name)?.filter((value) => fits(value, schema, how.schemas));
  if (known && known.length > 0 && (how.careful || random.chance(knownShare))) return random.pick(known);
  if (schema.$ref) return sample(how.schemas[schema.$ref.split('/').at(-1)!] ?? {}, name, how, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return sample(random.pick(choice), name, how, depth);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => sample(part, name, how, depth)));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  switch (type) {
    case 'object':
      return sampleObject(schema, how, depth);
    case 'array':
      return Array.from({ length: (schema.minItems ?? 0) + random.below(3) }, () =>
        sample(schema.items ?? {}, name, how, depth + 1),
      );
    case 'integer':
      return Math.floor(sampleNumber(schema, random));
    case 'number':
      return sampleNumber(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return sampleText(schema, random);
  }
}

/** Whether a known value is of the kind that the schema wants. */
function fits(value: unknown, schema: Schema, schemas: Record<string, Schema>): boolean {
  if (schema.$ref) return fits(value, schemas[schema.$ref.split('/').at(-1)!] ?? {}, schemas);
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum) return schema.enum.includes(value);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return choice.some((one) => fits(value, one, schemas));
  return schema.type === undefined || [schema.type].flat().some((type) => kinds[type]?.(value) ?? true);
}

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Whether to include an optional member; valid requests include most of them. */
export const isGiven = (name: string, how: Sampling): boolean =>
  how.random.chance(how.careful && how.known(name)?.length ? 0.9 : how.optionalShare);

function sampleObject(schema: Schema, how: Sampling, depth: number): Record<string, unknown> {
  const required = new Set(schema.required);
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (required.has(name) || (depth < 4 && isGiven(name, how))) value[name] = sample(member, name, how, depth + 1);
  }
  return value;
}

function sampleNumber({ minimum = -1, maximum = 1_000 }: Schema, random: Random): number {
  if (random.chance(0.3)) return random.pick([minimum, maximum]);
  return minimum + random.next() * (Math.min(maximum, minimum + 1_000) - minimum);
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

function sampleText({ minLength = 0, maxLength = 24, format }: Schema, random: Random): string {
  if (format === 'email') return `u${random.below(1e6)}@example.com`;
  // Nothing listens on port 9: no address of a fuzzed request may leave this machine.
  if (format === 'uri') return `http://127.0.0.1:9/${random.below(1e6)}`;
  const length = minLength + random.below(Math.min(maxLength - minLength, 24) + 1);
  return Array.from({ length }, () => random.pick([...alphabet])).join('');
}
