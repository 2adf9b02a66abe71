import type { Db } from '../../platform/db/tables.ts';
import type { StoredPreferences } from '../preferences.ts';
import './tables.ts';

export async function loadPreferences(db: Db, userId: number): Promise<StoredPreferences> {
  const row = await db.selectFrom('ms_preferences').select('value').where('user_id', '=', userId).executeTakeFirst();
  return row ? (JSON.parse(row.value) as StoredPreferences) : {};
}

export async function savePreferences(db: Db, userId: number, value: StoredPreferences, now: number): Promise<void> {
  const row = { value: JSON.stringify(value), updated_at: now };
  await db
    .insertInto('ms_preferences')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}
