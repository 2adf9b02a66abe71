import type { Db } from '../../platform/db/tables.ts';
import type { UsageRow } from './port.ts';
import './tables.ts';

/** Adds what cached answers saved to their keys. The log has the exact amounts; this sum saves adding up the log. */
export async function noteSavings(db: Db, rows: readonly Pick<UsageRow, 'key_id' | 'saved_quota'>[]): Promise<void> {
  const byKey = new Map<number, { quota: number; requests: number }>();
  for (const { key_id, saved_quota } of rows) {
    if (saved_quota === 0 || key_id === null) continue;
    const sum = byKey.get(key_id) ?? { quota: 0, requests: 0 };
    byKey.set(key_id, { quota: sum.quota + saved_quota, requests: sum.requests + 1 });
  }
  // Sorted by id, so that processes updating the same keys cannot deadlock.
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
