import type { Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import { usageRow } from './rows.ts';
import { emptyAllotments, findDeadOwners } from './store/allotments.ts';
import { findExpired, findHoldsOf, settleIn, settleStored } from './store/holds.ts';
import { isLogged } from './store/usage.ts';

type Left = Awaited<ReturnType<typeof findHoldsOf>>[number];

/** Settles what dead processes left behind and releases expired holds; returns how many. */
export async function takeOver(db: Db, nowSeconds: number): Promise<number> {
  let taken = 0;
  for (const owner of await findDeadOwners(db)) {
    taken += await db.transaction().execute(async (tx) => {
      await emptyAllotments(tx, owner);
      const left = await findHoldsOf(tx, owner);
      for (const hold of left) await settleLeft(tx, hold, nowSeconds);
      return left.length;
    });
  }
  for (const { request_id } of await findExpired(db, nowSeconds))
    taken += (await settleStored(db, request_id, null)).settled ? 1 : 0;
  return taken;
}

/** A stream that had produced something is charged for it. */
async function settleLeft(tx: Db, hold: Left, nowSeconds: number): Promise<void> {
  const ended = await tx.deleteFrom('billing_holds').where('request_id', '=', hold.request_id).executeTakeFirst();
  if (ended.numDeletedRows === 0n) return;
  const { endpoint, ...usage } = JSON.parse(hold.progress_usage) as Usage & { endpoint?: string };
  const who = { requestId: hold.request_id, userId: hold.user_id, keyId: hold.key_id, modelId: hold.model_id };
  const detail = { usage, endpoint: endpoint ?? '', stream: true, status: 'interrupted' } as const;
  const log = usageRow(who, detail, hold.progress, nowSeconds);
  const owes = hold.progress > 0 && !(await isLogged(tx, log));
  await settleIn(tx, hold, owes ? log : null);
}
