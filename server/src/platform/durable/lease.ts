import { randomString } from '../../lib/ids.ts';
import type { Db } from '../db/tables.ts';
import type { Owners } from './owners.ts';

/*
 * Whatever must have one holder names it: a row is held by its `owner` for as long as that process is on the list, and an
 * orphan from then on. Nothing is renewed row by row. A row that is written to after it was claimed also counts its
 * claims: every write asks for the `epoch` it was claimed with, so that a former holder changes nothing.
 */

declare module '../db/tables.ts' {
  interface Tables {
    /** Things without a row of their own that have one holder at a time. */
    leases: { name: string; owner: string; token: string };
  }
}

/** For `owner not in …`: nobody who lives holds the row. */
export const livingOwners = (db: Db) => db.selectFrom('owners').select('id');

/** Between two tries to write something that nobody else will. */
const writeAgainMs = 500;

/**
 * For the last word about something held: tried until it is written, since nobody else takes over what a living process
 * holds. Given up when the process has left the list, or is on it under another name: then it is an orphan.
 */
export async function untilWritten(
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

/** Takes what has this name, and resolves to what gives it back; null while another holder lives. */
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
