import type { Db } from '../../../platform/db/tables.ts';
import type { Lease } from './begin.ts';
import './tables.ts';

/** Runs that nobody holds any more; with `exceptOwner` those of everybody else, for a place with a single owner. */
export async function orphans(db: Db, nowMs: number, limit: number, exceptOwner?: string): Promise<number[]> {
  const rows = await db
    .selectFrom('ms_runs')
    .select('id')
    .where('status', '=', 'running')
    .where((eb) =>
      exceptOwner === undefined
        ? eb('lease_until', '<', nowMs)
        : eb.or([eb('owner', 'is', null), eb('owner', '!=', exceptOwner)]),
    )
    .orderBy('lease_until')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes one over: of several who try, one succeeds, and whoever held it before can write nothing more. */
export async function claim(db: Db, ref: number, lease: Lease, nowMs: number, anyLease: boolean): Promise<boolean> {
  const row = await db
    .updateTable('ms_runs')
    .set((eb) => ({
      owner: lease.owner,
      lease_until: lease.untilMs,
      epoch: eb('epoch', '+', 1),
      updated_ms: nowMs,
    }))
    .where('id', '=', ref)
    .where('status', '=', 'running')
    .$if(!anyLease, (query) => query.where('lease_until', '<', nowMs))
    .$if(anyLease, (query) => query.where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '!=', lease.owner)])))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Renews the leases of these runs; answers the epoch of each that the owner still holds. */
export async function renew(db: Db, refs: number[], lease: Lease): Promise<Map<number, number>> {
  const rows = await db
    .updateTable('ms_runs')
    .set({ lease_until: lease.untilMs })
    .where('id', 'in', refs)
    .where('owner', '=', lease.owner)
    .where('status', '=', 'running')
    .returning(['id', 'epoch'])
    .execute();
  return new Map(rows.map(({ id, epoch }) => [id, epoch]));
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

/** Gives a run back, so that the next process need not wait for the lease to run out. */
export async function letGo(db: Db, ref: number, epoch: number): Promise<void> {
  await db
    .updateTable('ms_runs')
    .set({ owner: null, lease_until: 0 })
    .where('id', '=', ref)
    .where('epoch', '=', epoch)
    .where('status', '=', 'running')
    .execute();
}
