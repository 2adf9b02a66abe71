import { z } from 'zod';
import { findShaped } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Preferences } from '../rank.ts';
import { strategies } from '../score.ts';
import type { PreferencesTable } from './tables.ts';

const names = z.array(z.string());
const strategy = z.enum(strategies).nullable().catch(null);

const fromRow = (row: PreferencesTable): Preferences => ({
  defaultStrategy: strategy.parse(row.default_strategy),
  preferredProviders: names.parse(JSON.parse(row.preferred_providers)),
  blockedProviders: names.parse(JSON.parse(row.blocked_providers)),
  maxPrice: row.max_price,
  minSuccessRate: row.min_success_rate,
  maxLatencyMs: row.max_latency_ms,
});

export const readPreferences = (db: Db, userId: number): Promise<Preferences | null> =>
  findShaped(db, 'routing_preferences', { user_id: userId }, fromRow);

/** Writes only the given fields, in one statement, so that concurrent changes do not overwrite each other. */
export async function writePreferences(
  db: Db,
  userId: number,
  patch: Partial<Preferences>,
  now: number,
): Promise<Preferences> {
  const given: Partial<PreferencesTable> = { updated_at: now };
  if (patch.defaultStrategy !== undefined) given.default_strategy = patch.defaultStrategy;
  if (patch.preferredProviders) given.preferred_providers = JSON.stringify(patch.preferredProviders);
  if (patch.blockedProviders) given.blocked_providers = JSON.stringify(patch.blockedProviders);
  if (patch.maxPrice !== undefined) given.max_price = patch.maxPrice;
  if (patch.minSuccessRate !== undefined) given.min_success_rate = patch.minSuccessRate;
  if (patch.maxLatencyMs !== undefined) given.max_latency_ms = patch.maxLatencyMs;
  const row = await db
    .insertInto('routing_preferences')
    .values({
      user_id: userId,
      default_strategy: null,
      preferred_providers: '[]',
      blocked_providers: '[]',
      max_price: null,
      min_success_rate: null,
      max_latency_ms: null,
      updated_at: now,
      ...given,
    })
    .onConflict((oc) => oc.column('user_id').doUpdateSet(given))
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}
