import type { ExpressionBuilder } from 'kysely';
import { timeIn } from '../../lib/ids.ts';
import type { Tables } from '../../platform/db/tables.ts';
import './tables.ts';

/** Where a list continues: after a row, or where a deleted one was. */
export type Place = { ref: number } | { id: string; created_at: number };

/** The position of a deleted row, by its id; null for an id that was never issued here. */
export function formerPlace(id: string, nowMs: number): Place | null {
  const ms = timeIn(id.replace(/^(file-|batch_|msgbatch_)/, ''), nowMs);
  return ms === null ? null : { id, created_at: Math.floor(ms / 1000) };
}

export const beyond = (e: ExpressionBuilder<Tables, 'files' | 'batches'>, place: Place, to: '<' | '>') =>
  'ref' in place
    ? e('ref', to, place.ref)
    : e.or([
        e('created_at', to, place.created_at),
        e.and([e('created_at', '=', place.created_at), e('id', to, place.id)]),
      ]);
