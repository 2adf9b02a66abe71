import { z } from 'zod';
import { emailRule } from '../../identity/user.ts';
import { isObject } from '../../lib/is-object.ts';
import { table } from '../../lib/table.ts';
import { holdsHidden, inOneLine, shownName, visible } from '../../platform/http/shown-text.ts';
import type { ScimUserFields } from '../store/tables.ts';
import { fault } from './faults.ts';
import { booleanIn, type Change, isMeant, textIn, writtenAs } from './patch.ts';

export const noFields: ScimUserFields = {
  ...{ user_name: '', external_id: '', given_name: '', family_name: '', display_name: '', email: '', active: 1 },
};

/** Names as the company writes them, without invisible characters. */
const personName = z
  .string()
  .max(1_000)
  .transform((text) => [...inOneLine(visible(text))].slice(0, 200).join(''));
/** The directory's own identifier, stored exactly. */
export const externalId = z
  .string()
  .max(255)
  .refine((text) => !holdsHidden(text), 'must not contain invisible characters');

const texts = table<[keyof ScimUserFields, z.ZodType<string>]>({
  username: ['user_name', shownName(255)],
  externalid: ['external_id', externalId],
  displayname: ['display_name', personName],
  'name.givenname': ['given_name', personName],
  'name.familyname': ['family_name', personName],
});

/**
 * The attributes that are stored. Directories send everything they know: titles, phone numbers and passwords are
 * neither stored nor refused.
 */
export function told(fields: ScimUserFields, change: Change): ScimUserFields {
  const { attribute } = change;
  const text = texts[attribute];
  if (text) return { ...fields, [text[0]]: textIn(change, text[1]) };
  // RFC 7643 §2.5: null is the same as leaving it out.
  if (attribute === 'active') return change.value === null ? fields : { ...fields, active: booleanIn(change) ? 1 : 0 };
  if (attribute === 'emails' || attribute === 'emails.value') return toldAddress(fields, change);
  return fields;
}

/**
 * One of a person's addresses is stored, and shown as the primary work address. What is said about others does not
 * change it: it is the one that says whose account is meant.
 */
function toldAddress(fields: ScimUserFields, change: Change): ScimUserFields {
  const { op, where, value } = change;
  if (where && !isMeant(where, { value: fields.email, type: 'work', primary: true })) return fields;
  if (op === 'remove') return isRemoved(fields.email, value) ? { ...fields, email: '' } : fields;
  const isList = Array.isArray(value) || isObject(value);
  const given = isList ? [value].flat().filter(isObject) : [];
  const added = op === 'add' && fields.email !== '' ? given.filter(mayReplace) : given;
  if (op === 'add' && isList && added.length === 0) return fields;
  return { ...fields, email: textIn({ ...change, value: isList ? addressIn(added) : value }, emailRule) };
}

/** Without values, all are removed. */
const isRemoved = (email: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  [value]
    .flat()
    .some((one) => isMeant({ attribute: 'value', op: 'eq', value: email }, isObject(one) ? one : { value: one }));

const isWork = ({ type }: Record<string, unknown>): boolean => writtenAs(type).toLowerCase() === 'work';
const isPrimary = ({ primary }: Record<string, unknown>): boolean => writtenAs(primary).toLowerCase() === 'true';
/** An added address of another kind is one more. */
const mayReplace = (one: Record<string, unknown>): boolean => isPrimary(one) || isWork(one) || one.type === undefined;

const addressIn = (given: Record<string, unknown>[]): unknown =>
  (given.find(isPrimary) ?? given.find(isWork) ?? given[0])?.value;

export function toldOf(before: ScimUserFields, changes: Change[]): ScimUserFields {
  const fields = changes.reduce(told, before);
  if (fields.user_name === '') throw fault('invalidValue', 'userName is required.');
  return fields;
}

/** The address that identifies the user here; empty if the directory gives none. */
export const addressOf = ({ email, user_name }: Pick<ScimUserFields, 'email' | 'user_name'>): string => {
  if (email !== '') return email.toLowerCase();
  return emailRule.safeParse(user_name).success ? user_name.toLowerCase() : '';
};
