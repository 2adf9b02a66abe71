import type { Migration } from '../migration.ts';

const named = 'from organisations as o where o.account_id = users.id and o.keys_of is null and o.person_id is null';

/**
 * Fixes accounts of organisations that were renamed before their accounts were renamed too: the UI shows accounts by
 * name.
 */
export const migration: Migration = {
  name: '0048-organisation-names',
  statements: () => [
    `update users set display_name = (select o.name ${named})
      where username like 'organisation:%' and exists (select 1 ${named} and o.name <> users.display_name)`,
  ],
};
