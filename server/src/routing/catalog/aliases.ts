import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { CatalogRoom } from './channels.ts';
import type { ModelListing } from './listing.ts';
import * as store from './store/aliases.ts';
import { enabled } from './store/tables.ts';

/** Names beside those of models, as callers of one group see them. */
export interface Aliases {
  /** Public ids in the order of trying; never empty. */
  members: ReadonlyMap<string, readonly string[]>;
  listing: readonly ModelListing[];
}

/**
 * Which aliases lead somewhere. A model of the same name comes first, and so that alias is none; nor does an alias lead to
 * another one.
 */
export function aliasesIn(
  records: readonly store.AliasRecord[],
  byId: ReadonlyMap<string, ModelListing>,
  shortNames: ReadonlyMap<string, string>,
): Aliases {
  const members = new Map<string, readonly string[]>();
  const listing: ModelListing[] = [];
  for (const { name, models, status } of records) {
    if (status !== enabled || byId.has(name) || shortNames.has(name)) continue;
    const ids = models.flatMap((model) => (byId.has(model) ? [model] : (shortNames.get(model) ?? [])));
    const first = byId.get(ids[0] ?? '');
    if (!first) continue;
    members.set(name, Object.freeze([...new Set(ids)]));
    listing.push(Object.freeze({ ...first, id: name, name }));
  }
  return { members, listing: Object.freeze(listing) };
}

export async function addAlias(room: CatalogRoom, fields: store.AliasFields): Promise<store.AliasRecord> {
  const added = await store.insertAlias(room.db, fields, nowSeconds(room.clock));
  if (added === 'duplicate') throw nameTaken();
  await room.catalog.changed();
  return added;
}

/** Fields not given stay. */
export async function changeAlias(
  room: CatalogRoom,
  id: number,
  given: Partial<store.AliasFields>,
): Promise<store.AliasRecord> {
  const changed = await store.updateAlias(room.db, id, given, nowSeconds(room.clock));
  if (changed === null) throw noAlias(id);
  if (changed === 'duplicate') throw nameTaken();
  await room.catalog.changed();
  return changed;
}

export async function removeAlias(room: CatalogRoom, id: number): Promise<void> {
  if (!(await store.deleteAlias(room.db, id))) throw noAlias(id);
  await room.catalog.changed();
}

const nameTaken = (): AppError => new AppError('conflict', 'name: there is such an alias already', { param: 'name' });
const noAlias = (id: number): AppError => new AppError('not_found', `there is no alias ${id}`);
