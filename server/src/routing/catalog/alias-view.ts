import type { ModelListing } from './listing.ts';
import type { AliasRecord } from './store/aliases.ts';
import { enabled } from './store/tables.ts';

/** Aliases of models, as callers of one group see them. */
export interface Aliases {
  /** Public ids in the order to try them; never empty. */
  members: ReadonlyMap<string, readonly string[]>;
  listing: readonly ModelListing[];
}

/**
 * The aliases that resolve to something. A model with the same name takes precedence over an alias, and an alias cannot
 * refer to another one.
 */
export function aliasesIn(
  records: readonly AliasRecord[],
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
