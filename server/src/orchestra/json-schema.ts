import { isObject } from '../lib/is-object.ts';
import { table } from '../lib/table.ts';

/** A schema may be exponentially expensive or recursive: past these limits, the value is accepted. */
const mostLooks = 20_000;
const deepest = 100;

type Schema = Record<string, unknown>;

/**
 * Whether a value has the shape of a schema, checked cheaply: types, members, items, choices. Other keywords (patterns,
 * formats, bounds) are not checked.
 */
export function fitsSchema(value: unknown, schema: unknown): boolean {
  let looks = 0;
  const fits = (one: unknown, wanted: unknown, depth: number): boolean => {
    looks += 1;
    if (looks > mostLooks || depth > deepest || !isObject(wanted)) return true;
    const { $ref, type, enum: choices, anyOf } = wanted;
    const deeper = (inner: unknown, of: unknown) => fits(inner, of, depth + 1);
    if (typeof $ref === 'string') return deeper(one, resolved(schema, $ref));
    if ('const' in wanted && !same(one, wanted.const)) return false;
    if (Array.isArray(choices) && !choices.some((choice) => same(one, choice))) return false;
    if (Array.isArray(anyOf) && !anyOf.some((other) => deeper(one, other))) return false;
    if (type !== undefined && ![type].flat().some((name) => isOf(one, name))) return false;
    if (Array.isArray(one)) return one.every((item) => deeper(item, wanted.items));
    return !isObject(one) || hasMembers(one, wanted, deeper);
  };
  return fits(value, schema, 0);
}

function hasMembers(one: Schema, wanted: Schema, fits: (member: unknown, of: unknown) => boolean): boolean {
  const { properties, required, additionalProperties: more } = wanted;
  const known = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  if (names.some((name) => !Object.hasOwn(one, name))) return false;
  return Object.entries(one).every(([name, member]) =>
    Object.hasOwn(known, name) ? fits(member, known[name]) : more !== false && fits(member, more),
  );
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const kinds = table<(value: unknown) => boolean>({
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
});
/** Gemini writes type names in capitals. */
const isOf = (value: unknown, name: unknown): boolean =>
  kinds[(typeof name === 'string' ? name : JSON.stringify(name)).toLowerCase()]?.(value) ?? true;

/** Resolves `#/$defs/name`; undefined, which accepts everything, if the reference leads nowhere. */
const resolved = (root: unknown, ref: string): unknown =>
  ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '')
    .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
