import { Secret } from '../lib/changes.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Subject } from '../platform/http/audit-rule.ts';
import { keyView } from './keys.ts';
import type { Options } from './options.ts';
import { findKeyById } from './store/keys.ts';
import { languageOf } from './store/languages.ts';
import { findUserRow } from './store/users.ts';

/** What the audit log compares about this room's entities. Users are named by their row. */
export const userSubject = (db: Db): Subject => ({
  type: 'user',
  look: async (id) => {
    const row = await findUserRow(db, Number(id));
    if (!row) return null;
    const { role, status, group, display_name, email, email_verified, avatar_url, password_hash } = row;
    const language = await languageOf(db, row.id);
    const password = new Secret(password_hash);
    return { state: { role, status, group, display_name, email, email_verified, avatar_url, language, password } };
  },
});

export const keySubject = (db: Db): Subject => ({
  type: 'api_key',
  look: async (id) => {
    const row = await findKeyById(db, Number(id));
    if (!row) return null;
    const view = keyView(row, 0);
    const {
      id: _,
      key: __,
      created_time,
      accessed_time,
      used_quota,
      saved_quota,
      saved_requests,
      made_by,
      ...state
    } = view;
    return { name: row.name, state: { ...state, secret: new Secret(row.key_hash) } };
  },
});

export const optionSubject = (options: Options): Subject => ({
  type: 'option',
  look: async (name) => {
    const found = options.all().find(({ key }) => key === name);
    return found ? { state: { value: found.value } } : null;
  },
});
