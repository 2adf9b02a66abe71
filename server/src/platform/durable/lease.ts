import { randomString } from '../../lib/ids.ts';
import type { Db } from '../db/tables.ts';
import type { Owners } from './owners.ts';

/*
 * Exclusive ownership of rows. A row is held by its `owner` for as long as that process is in the list of owners, and
 * orphaned afterwards; there are no leases to renew per row. Rows that are written after the claim also count claims:
 * every write checks the `epoch` of its claim, so that writes of a former holder have no effect.
 */

declare module '../db/tables.ts' {
  interface Tables {
    /** Leases for resources without a row of their own. */
    leases: { name: string; owner: string; token: string };
  }
}

/** For `owner not in …`: no living process holds the row. */
export const livingOwners = (db: Db) => db.selectFrom('owners').select('id');

/** Delay between attempts of a write that only this process can make. */
const writeAgainMs = 500;

/**
 * Writes the final state of something this process holds. Retries until it is written, since no other process takes
 * over what a living one holds. Gives up when the process has left the list or has a new id, because the row is
 * orphaned then.
 */
export async function retryUntilWritten(
  owners: Pick<Owners, 'id'>,
  write: () => Promise<unknown>,
  failed: (error: unknown) => void,
): Promise<void> {
  for (const { id } = owners; owners.id === id; await Bun.sleep(writeAgainMs)) {
    try {
      await write();
      return;
    } catch (error) {
      failed(error);
    }
  }
}

/**
 * Acquires the named lease and resolves to the function that releases it; null while another living process holds it.
 */
export async function takeLease(
  db: Db,
  owners: Pick<Owners, 'id'>,
  name: string,
): Promise<(() => Promise<void>) | null> {
  const token = randomString(16);
  const holder = { owner: owners.id, token };
  const taken = await db
    .insertInto('leases')
    .values({ name, ...holder })
    .onConflict((on) => on.column('name').doUpdateSet(holder).where('leases.owner', 'not in', livingOwners(db)))
    .returning('token')
    .executeTakeFirst();
  if (!taken) return null;
  return async () => {
    await db.deleteFrom('leases').where('name', '=', name).where('token', '=', token).execute();
  };
}
