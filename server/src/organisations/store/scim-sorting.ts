import { type SqlBool, sql } from 'kysely';
import { fault } from '../scim/faults.ts';
import { plain } from '../scim/filter.ts';
import { type Attribute, type Attributes, groupAttributes, userAttributes } from './scim-conditions.ts';
import type { Sorting } from './scim-users.ts';

export interface SortAsked {
  sortBy?: string | undefined;
  sortOrder?: string | undefined;
}

/** Of a multi-valued attribute, by its value, where there is at most one. */
const attributeIn = ({ single, multiple }: Attributes, name: string): Attribute | undefined => {
  const asValue = name === 'emails' || name === 'emails.value';
  return single[name] ?? (asValue ? multiple.emails?.parts.value : undefined);
};

const sortingOf =
  (attributes: Attributes) =>
  ({ sortBy, sortOrder = 'ascending' }: SortAsked): Sorting | null => {
    const order = sortOrder.toLowerCase();
    if (order !== 'ascending' && order !== 'descending')
      throw fault('invalidValue', 'sortOrder: must be ascending or descending.');
    if (!sortBy) return null;
    const attribute = attributeIn(attributes, plain(sortBy));
    if (!attribute) throw fault('invalidValue', `sortBy: ${sortBy} cannot be sorted by.`);
    // Those without a value come last, and first if descending.
    const absent = sql<SqlBool>`case when ${attribute.present} then 0 else 1 end`;
    return { absent, by: attribute.order, direction: order === 'ascending' ? 'asc' : 'desc' };
  };

export const usersSorted = sortingOf(userAttributes);
export const groupsSorted = sortingOf(groupAttributes);
