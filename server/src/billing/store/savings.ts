import type { Db } from '../../platform/db/tables.ts';
import type { UsageRow } from './port.ts';
import './tables.ts';

/**
 * Adds what kept answers saved to their keys. The log has it to the unit; this is its sum, so that nobody has to add the log up.
 */
export async function noteSavings(db: Db, rows: readonly Pick<UsageRow, 'key_id' | 'saved_quota'>[]): Promise<void> {
  const byKey = new Map<number, { quota: number; requests: number }>();
  for (const { key_id, saved_quota } of rows) {
    if (saved_quota === 0 || key_id === null) continue;
    const sum = byKey.get(key_id) ?? { quota: 0, requests: 0 };
    byKey.set(key_id, { quota: sum.quota + saved_quota, requests: sum.requests + 1 });
  }
  // By id, so that processes that note the same keys do not wait for each other in a circle.
  for (const [id, { quota, requests }] of [...byKey].sort(([a], [b]) => a - b))
    await db
      .updateTable('api_keys')
      .set((e) => ({
        saved_quota: e('saved_quota', '+', quota),
        saved_requests: e('saved_requests', '+', requests),
      }))
      .where('id', '=', id)
      .execute();
}
