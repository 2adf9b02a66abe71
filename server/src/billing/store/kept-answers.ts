import type { Db } from '../../platform/db/tables.ts';
import type { CallName } from '../types.ts';
import type { KeptRow } from './port.ts';
import './tables.ts';

/*
 * Answers that were paid for, but not yet stored by the work that asked for them. A row is written with the charge and
 * deleted in the transaction of the work's own write. A row that is found later was left by a process that died in
 * between.
 */

/** No longer needed after this: work is taken over within seconds, or at the next start of the service. */
const keptSeconds = 86_400;

/**
 * Call in the transaction of the charge. The first answer to a call stays; a process that made a second one has it in
 * memory.
 */
export async function keepAnswer(tx: Db, row: KeptRow): Promise<void> {
  await tx
    .insertInto('kept_answers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** For calls that are noted before they are made and updated afterwards. */
export async function rewriteKept(db: Db, { work, call }: CallName, body: string): Promise<void> {
  const found = db.updateTable('kept_answers').set({ body });
  await found.where('work', '=', work).where('call', '=', call).execute();
}

export async function findKept(db: Db, { work, call }: CallName): Promise<string | null> {
  const found = db.selectFrom('kept_answers').select('body').where('work', '=', work).where('call', '=', call);
  return (await found.executeTakeFirst())?.body ?? null;
}

export const keptOf = (db: Db, work: string): Promise<Pick<KeptRow, 'call' | 'request_id' | 'body'>[]> =>
  db.selectFrom('kept_answers').select(['call', 'request_id', 'body']).where('work', '=', work).execute();

/** Call in the transaction that stores the work's result. Without `calls`, deletes all of the work. */
export async function forgetKept(tx: Db, work: string, calls?: string[]): Promise<void> {
  const all = tx.deleteFrom('kept_answers').where('work', '=', work);
  await (calls ? all.where('call', 'in', calls) : all).execute();
}

export async function sweepKept(db: Db, nowSeconds: number): Promise<void> {
  await db
    .deleteFrom('kept_answers')
    .where('created_at', '<', nowSeconds - keptSeconds)
    .execute();
}
