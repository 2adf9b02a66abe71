import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { CatalogContext } from './channels.ts';
import * as store from './store/aliases.ts';

export async function addAlias(room: CatalogContext, fields: store.AliasFields): Promise<store.AliasRecord> {
  const added = await store.insertAlias(room.db, fields, nowSeconds(room.clock));
  if (added === 'duplicate') throw nameTaken();
  await room.catalog.changed();
  return added;
}

/** Fields that are not given stay. */
export async function changeAlias(
  room: CatalogContext,
  id: number,
  given: Partial<store.AliasFields>,
): Promise<store.AliasRecord> {
  const changed = await store.updateAlias(room.db, id, given, nowSeconds(room.clock));
  if (changed === null) throw noAlias(id);
  if (changed === 'duplicate') throw nameTaken();
  await room.catalog.changed();
  return changed;
}

export async function removeAlias(room: CatalogContext, id: number): Promise<void> {
  if (!(await store.deleteAlias(room.db, id))) throw noAlias(id);
  await room.catalog.changed();
}

const nameTaken = (): AppError => new AppError('conflict', 'name: this alias already exists', { param: 'name' });
const noAlias = (id: number): AppError => new AppError('not_found', `there is no alias ${id}`);
