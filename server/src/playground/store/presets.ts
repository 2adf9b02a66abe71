import { deleteRows } from '../../platform/db/delete-rows.ts';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { PresetRow } from './tables.ts';

/** By name; a user has few. */
export const listPresets = (db: Db, userId: number): Promise<PresetRow[]> =>
  db.selectFrom('playground_presets').selectAll().where('user_id', '=', userId).orderBy('name').execute();

export const countPresets = (db: Db, userId: number): Promise<number> =>
  countRows(db.selectFrom('playground_presets').where('user_id', '=', userId));

export const insertPreset = (db: Db, preset: Omit<PresetRow, 'id'>): Promise<PresetRow> =>
  db.insertInto('playground_presets').values(preset).returningAll().executeTakeFirstOrThrow();

/** Updates the given members only; null if the user has no such preset. */
export async function updatePreset(
  db: Db,
  userId: number,
  id: number,
  changes: Partial<Pick<PresetRow, 'name' | 'prompt'>> & Pick<PresetRow, 'updated_at'>,
): Promise<PresetRow | null> {
  const changed = db
    .updateTable('playground_presets')
    .set(changes)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll();
  return (await changed.executeTakeFirst()) ?? null;
}

export const deletePreset = (db: Db, userId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'playground_presets', { user_id: userId, id });
