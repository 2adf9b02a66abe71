import { z } from 'zod';
import { isObject } from '../../lib/is-object.ts';
import { fault } from './faults.ts';
import { type Filter, type Path, parsePath, type Value } from './filter.ts';

/** One value for one attribute, in whichever form it was sent. */
export interface Change extends Path {
  op: 'add' | 'replace' | 'remove';
  value: unknown;
}

const ops = ['add', 'replace', 'remove'] as const;
/** Directories send hundreds of people in one request, but as values of few operations. */
const mostOperations = 1_000;

/** Microsoft sends `Add`. */
const operation = z.object({
  op: z.string().toLowerCase().pipe(z.enum(ops)),
  path: z.string().nullish(),
  value: z.unknown().optional(),
});
export const patchBody = z.object({ Operations: z.array(operation).min(1).max(mostOperations) });
export type PatchBody = z.infer<typeof patchBody>;

/** The changes to a resource. */
export function changesIn({ Operations }: PatchBody, id: number): Change[] {
  const changes = Operations.flatMap(({ op, path, value }) => {
    if (path) return spread({ ...parsePath(path), op, value });
    // RFC 7644 §3.5.2.2.
    if (op === 'remove') throw fault('noTarget', 'path: is required for remove operations.');
    if (!isObject(value)) throw fault('invalidValue', 'value: must be an object if path is absent.');
    return membersOf(value, op);
  });
  // §3.5.2: ids are ours to assign. Okta repeats them.
  const renames = changes.some(
    ({ attribute, op, value }) => attribute === 'id' && (op === 'remove' || writtenAs(value) !== String(id)),
  );
  if (renames) throw fault('mutability', 'id: cannot be changed.');
  return changes;
}

/** Of a whole resource, or a value without a path: Microsoft's names may be paths (`name.givenName`). */
export const membersOf = (value: Record<string, unknown>, op: Change['op'] = 'replace'): Change[] =>
  Object.entries(value).flatMap(([name, given]) => spread({ ...parsePath(name), op, value: given }));

const emptyName = { givenName: null, familyName: null };

/** The parts of a name are separate changes; without any, all of them are removed. */
function spread(change: Change): Change[] {
  const { attribute, value = null } = change;
  if (attribute !== 'name' || (value !== null && !isObject(value))) return [change];
  return Object.entries(value ?? emptyName).map(([part, given]) => ({
    ...change,
    attribute: `name.${part.toLowerCase()}`,
    value: given,
  }));
}

/** What was sent where a text is expected; objects have none, as their `toString` may be a member of any kind. */
export function writtenAs(value: unknown): string {
  if (Array.isArray(value)) return value.map(writtenAs).join();
  return isObject(value) ? '' : String(value);
}

/** Microsoft sends single values as a list of one. */
const unwrapped = (value: unknown): unknown => {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [];
  return isObject(only) && 'value' in only ? only.value : value;
};

export function textIn({ attribute, op, value }: Change, schema: z.ZodType<string>): string {
  const given = unwrapped(value);
  if (op === 'remove' || given === null || given === undefined) return accepted(attribute, schema, '');
  return accepted(attribute, schema, typeof given === 'number' ? String(given) : given);
}

function accepted(attribute: string, schema: z.ZodType<string>, value: unknown): string {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw fault('invalidValue', `${attribute}: ${parsed.error.issues[0]!.message}`);
  return parsed.data;
}

/** Microsoft sends "False". */
export function booleanIn({ attribute, value }: Change): boolean {
  const text = writtenAs(unwrapped(value)).toLowerCase();
  if (text !== 'true' && text !== 'false') throw fault('invalidValue', `${attribute}: must be true or false.`);
  return text === 'true';
}

/** Whether a filter in a path means this value, ignoring case (RFC 7643 §2.2). */
export function isMeant(where: Filter, one: Record<string, unknown>): boolean {
  if ('all' in where) return where.all.every((part) => isMeant(part, one));
  if ('any' in where) return where.any.some((part) => isMeant(part, one));
  if (!('op' in where)) return false;
  return writtenAs(one[where.attribute]).toLowerCase() === writtenAs(where.value).toLowerCase();
}

/** All values that a filter in a path asks for. */
export const askedFor = (where: Filter | null, attribute: string): (string | boolean)[] => {
  if (!where || 'not' in where || 'some' in where) return [];
  if ('op' in where) return where.attribute === attribute ? [textOrBoolean(where.value)] : [];
  return ('all' in where ? where.all : where.any).flatMap((part) => askedFor(part, attribute));
};
const textOrBoolean = (value: Value | undefined): string | boolean => (typeof value === 'boolean' ? value : `${value}`);
