import type { Generated, Selectable } from 'kysely';
import { onePage, type PersonalData } from '../db/pages.ts';
import { resealing } from '../db/reseal.ts';
import type { Db } from '../db/tables.ts';
import { updateRows } from '../db/update-rows.ts';
import { livingOwners } from '../durable/lease.ts';

interface IdempotencyTable {
  id: Generated<number>;
  user_id: number;
  key: string;
  /** Hash of the request: reusing a key for a different request is an error of the caller. */
  fingerprint: string;
  /** The process that runs it; empty when it is done. */
  owner: string;
  /** Increases with every attempt: the answer of an earlier attempt is not stored. */
  epoch: Generated<number>;
  /** Encrypted; empty while it runs. */
  answer: string;
  created_at: number;
}

declare module '../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyTable;
  }
}

export type KeyRow = Selectable<IdempotencyTable>;
export type NewKeyRow = Omit<KeyRow, 'id' | 'epoch' | 'answer'>;
/** Identifies one attempt. */
export type Held = Pick<KeyRow, 'id' | 'epoch'>;

/** Null if the user has used the key before. Of concurrent claims exactly one succeeds. */
export async function claimKey(db: Db, row: NewKeyRow): Promise<Held | null> {
  const made = await db
    .insertInto('idempotency_keys')
    .values({ ...row, answer: '' })
    .onConflict((c) => c.columns(['user_id', 'key']).doNothing())
    .returning(['id', 'epoch'])
    .executeTakeFirst();
  return made ?? null;
}

export async function findKeyRow(
  db: Db,
  userId: number,
  key: string,
): Promise<(KeyRow & { living: string | null }) | null> {
  const found = await db
    .selectFrom('idempotency_keys')
    .leftJoin('owners', 'owners.id', 'idempotency_keys.owner')
    .selectAll('idempotency_keys')
    .select('owners.id as living')
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst();
  return found ?? null;
}

/** Takes over an attempt whose process is gone; false if another process was faster. */
export const takeOver = (db: Db, { id, epoch, owner: former }: KeyRow, owner: string): Promise<boolean> =>
  updateRows(db, 'idempotency_keys', { id, epoch, owner: former }, { owner, epoch: epoch + 1 });

export async function keepAnswer(db: Db, { id, epoch }: Held, answer: string): Promise<void> {
  const running = db.updateTable('idempotency_keys').where('id', '=', id).where('epoch', '=', epoch);
  await running.set({ answer, owner: '' }).execute();
}

export async function dropKey(db: Db, { id, epoch }: Held): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('id', '=', id).where('epoch', '=', epoch).execute();
}

/** Deletes up to `most` of the oldest, which have the lowest ids; running ones stay however old they are. */
export async function deleteOldKeys(db: Db, before: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('id', 'in', (e) => e.selectFrom('idempotency_keys').select('id').orderBy('id').limit(most))
    .where('created_at', '<=', before)
    .where('owner', 'not in', livingOwners(db))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export const resealAnswers = resealing('idempotency_keys', ['id'], 'answer');

export const exportOf = (db: Db, userId: number): PersonalData => ({
  idempotency_keys: onePage(() =>
    db.selectFrom('idempotency_keys').select(['key', 'created_at']).where('user_id', '=', userId).execute(),
  ),
});

export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('user_id', '=', userId).execute();
}
