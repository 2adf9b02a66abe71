import type { Db } from '../../../platform/db/tables.ts';
import { livingOwners } from '../../../platform/durable/lease.ts';
import './tables.ts';

interface Held {
  ref: number;
  epoch: number;
}

/** Runs that nobody who lives holds. */
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

/** Takes an orphan over: of several who try, one succeeds, and whoever held it before can write nothing more. */
export async function claim(db: Db, orphan: Held, owner: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await held(db, orphan)
    .set({ owner, epoch: orphan.epoch + 1, updated_ms: nowMs })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The epochs of those of these runs that run. */
export async function runningEpochs(db: Db, refs: number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('ms_runs')
    .select(['id', 'epoch'])
    .where('id', 'in', refs)
    .where('status', '=', 'running')
    .execute();
  return new Map(rows.map(({ id, epoch }) => [id, epoch]));
}

/** Gives a run back that is no longer worked on here; one that has ended, or is another's, stays as it is. */
export async function letGo(db: Db, run: Held): Promise<void> {
  await held(db, run).set({ owner: null }).execute();
}
