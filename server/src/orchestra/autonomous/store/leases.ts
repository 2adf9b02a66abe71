import type { Db } from '../../../platform/db/tables.ts';
import { livingOwners } from '../../../platform/durable/lease.ts';
import './tables.ts';

interface Held {
  ref: number;
  epoch: number;
}

/** Running runs without a live owner. */
export async function orphans(db: Db, limit: number): Promise<Held[]> {
  return db
    .selectFrom('ms_runs')
    .select(['id as ref', 'epoch'])
    .where('status', '=', 'running')
    .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', 'not in', livingOwners(db))]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

const held = (db: Db, { ref, epoch }: Held) =>
  db.updateTable('ms_runs').where('id', '=', ref).where('epoch', '=', epoch).where('status', '=', 'running');

/** Takes over an orphan: only one of several processes succeeds, and the previous owner can no longer write. */
export async function claim(db: Db, orphan: Held, owner: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await held(db, orphan)
    .set({ owner, epoch: orphan.epoch + 1, updated_ms: nowMs })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The epochs of those runs that are still running. */
export async function runningEpochs(db: Db, refs: number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('ms_runs')
    .select(['id', 'epoch'])
    .where('id', 'in', refs)
    .where('status', '=', 'running')
    .execute();
  return new Map(rows.map(({ id, epoch }) => [id, epoch]));
}

/** Releases a run that this process no longer works on; does nothing if it has ended or has another owner. */
export async function releaseLease(db: Db, run: Held): Promise<void> {
  await held(db, run).set({ owner: null }).execute();
}
