import type { Db } from '../../platform/db/tables.ts';
import { fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import type { UsageLog, UsagePlace } from './usage.ts';
import { type KeyIds, timeRangeOf, within } from './usage-sums.ts';
import './tables.ts';

/* Usage of several keys together, such as those of a team, regardless of who paid. */

export interface KeysFilter {
  keyIds: KeyIds;
  /** Unix seconds, both inclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Newest first, after an entry already seen. */
export async function listUsageOfKeys(
  db: Db,
  filter: KeysFilter,
  { limit, before }: { limit: number; before?: UsagePlace | undefined },
): Promise<UsageLog[]> {
  const to = before ? Math.min(before.created_at, filter.to ?? before.created_at) : filter.to;
  await fileUsage(db);
  const place = await timeRangeOf(db, { ...filter, to }, limit);
  if (!place) return [];
  return db
    .selectFrom('usage_logs')
    .select(['id', ...usageColumns])
    .where('key_id', 'in', filter.keyIds)
    .where((e) => e.and([...within('created_at', place.from, place.to), ...isFiled(db)]))
    .$if(before !== undefined, (logs) =>
      logs.where((e) => e.or([e('created_at', '<', before!.created_at), e('id', '<', before!.id)])),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
