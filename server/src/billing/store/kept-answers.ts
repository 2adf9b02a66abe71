import type { Db } from '../../platform/db/tables.ts';
import type { CallName } from '../types.ts';
import type { KeptRow } from './port.ts';
import './tables.ts';

/*
 * Answers that were paid for and that their work has not written down yet. A row comes with the charge and goes with the work's
 * own write; one that is found was left by a process that died in between.
 */

/** Past this nobody comes for it: work is taken over within seconds, and after a stop of the service when it starts. */
const keptSeconds = 86_400;

/** In the transaction of the charge. The first answer to a call stays: whoever made another has it at hand. */
export async function keepAnswer(tx: Db, row: KeptRow): Promise<void> {
  await tx
    .insertInto('kept_answers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** For what is noted before it is done, and again afterwards. */
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

/** Best in the transaction that writes down what was made of them. Without calls: all of the work. */
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
