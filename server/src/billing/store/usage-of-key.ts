import type { Db } from '../../platform/db/tables.ts';
import { catchUp, isFiled } from './filing.ts';
import { dayOf } from './port.ts';
import { within } from './usage-sums.ts';
import './tables.ts';

/** Columns that accounts add up. */
export const accountColumns = [
  'units',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'audio_in_tokens',
  'image_in_tokens',
  'audio_out_tokens',
  'web_searches',
  'quota',
  'shortfall',
] as const;

/** Unix seconds, `from` inclusive, `upTo` exclusive. */
export interface KeySpan {
  from: number;
  upTo: number;
}

/** Which of these keys were used on any day of the time span. */
export async function keysUsed(db: Db, keyIds: readonly number[], { from, upTo }: KeySpan): Promise<Set<number>> {
  if (keyIds.length === 0) return new Set();
  await catchUp(db);
  const rows = await db
    .selectFrom('usage_days_all')
    .select('key_id')
    .distinct()
    .where('key_id', 'in', keyIds)
    .where((e) => e.and(within('day', dayOf(from), dayOf(upTo - 1))))
    .execute();
  return new Set(rows.map(({ key_id }) => key_id));
}

/** Oldest first, after an entry already seen. Call `fileUsage` before the first page. */
export const usageOfKey = (
  db: Db,
  keyId: number,
  { from, upTo }: KeySpan,
  { limit, after }: { limit: number; after?: { created_at: number; id: number } | undefined },
) =>
  db
    .selectFrom('usage_logs')
    .select(['id', 'created_at', 'cost_parts', ...accountColumns])
    .where('key_id', '=', keyId)
    .where((e) => e.and([...within('created_at', after?.created_at ?? from, upTo - 1), ...isFiled(db)]))
    .$if(after !== undefined, (logs) =>
      logs.where((e) => e.or([e('created_at', '>', after!.created_at), e('id', '>', after!.id)])),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** From daily sums, which outlive the log: whole days (UTC), without the costs of parts. */
export async function sumDaysOfKey(db: Db, keyId: number, { from, upTo }: KeySpan) {
  await catchUp(db);
  const sums = await db
    .selectFrom('usage_days_all')
    .where('key_id', '=', keyId)
    .where((e) => e.and(within('day', dayOf(from), dayOf(upTo - 1))))
    .select((e) => [
      e.fn.sum<number | null>('requests').as('requests'),
      e.fn.sum<number | null>('prompt_tokens').as('prompt_tokens'),
      e.fn.sum<number | null>('completion_tokens').as('completion_tokens'),
      e.fn.sum<number | null>('quota').as('quota'),
    ])
    .executeTakeFirstOrThrow();
  return {
    requests: Number(sums.requests ?? 0),
    prompt_tokens: Number(sums.prompt_tokens ?? 0),
    completion_tokens: Number(sums.completion_tokens ?? 0),
    quota: Number(sums.quota ?? 0),
  };
}
