import { z } from 'zod';
import { emailRule } from '../../identity/user.ts';
import { isObject } from '../../lib/is-object.ts';
import { table } from '../../lib/table.ts';
import { holdsHidden, inOneLine, shownName, visible } from '../../platform/http/shown-text.ts';
import type { ScimUserFields } from '../store/tables.ts';
import { fault } from './faults.ts';
import { askedFor, booleanIn, type Change, textIn, writtenAs } from './patch.ts';

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
  if (attribute === 'active') return { ...fields, active: booleanIn(change) ? 1 : 0 };
  if (attribute === 'emails' || attribute === 'emails.value') return toldAddress(fields, change);
  return fields;
}

/** One address is stored: the first, or the work address. */
function toldAddress(fields: ScimUserFields, change: Change): ScimUserFields {
  const kinds = askedFor(change.where, 'type').map((kind) => String(kind).toLowerCase());
  if (kinds.length > 0 && !kinds.includes('work')) return fields;
  const value = Array.isArray(change.value) || isObject(change.value) ? addressIn([change.value].flat()) : change.value;
  return { ...fields, email: textIn({ ...change, value }, emailRule) };
}

function addressIn(emails: unknown[]): unknown {
  const given = emails.filter(isObject);
  const isWork = ({ type }: Record<string, unknown>) => writtenAs(type).toLowerCase() === 'work';
  const isPrimary = ({ primary }: Record<string, unknown>) => writtenAs(primary).toLowerCase() === 'true';
  return (given.find(isPrimary) ?? given.find(isWork) ?? given[0])?.value;
}

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
