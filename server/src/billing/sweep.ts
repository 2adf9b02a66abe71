import type { Usage } from '../lib/money.ts';
import type { Db } from '../platform/db/tables.ts';
import { usageRow } from './rows.ts';
import { findDeadHolds, type OpenHoldRow } from './store/holds.ts';
import type { HoldStore, SettleRow } from './store/port.ts';

/** A few hundred at a time, so that a crash with thousands of streams does not block the writer. */
const sweepBatch = 200;

/** Settles what dead processes left: a stream that had produced something pays for it, the rest is given back. */
export async function sweepHolds(db: Db, store: HoldStore, nowSeconds: number): Promise<number> {
  let swept = await store.returnReserves();
  for (;;) {
    const dead = await findDeadHolds(db, nowSeconds, sweepBatch);
    if (dead.length === 0) return swept;
    const settled = await store.settle(dead.map((hold) => lastKnown(hold, nowSeconds)));
    swept += settled.filter((one) => one.settled).length;
    if (dead.length < sweepBatch) return swept;
  }
}

function lastKnown(hold: OpenHoldRow, nowSeconds: number): SettleRow {
  const { request_id, user_id, key_id, amount, key_amount, progress } = hold;
  const held = { request_id, user_id, key_id, amount, key_amount };
  if (progress === 0) return { ...held, log: null };
  const { endpoint, ...usage } = JSON.parse(hold.progress_usage) as Usage & { endpoint?: string };
  const who = { requestId: request_id, userId: user_id, keyId: key_id, modelId: hold.model_id };
  const detail = { usage, endpoint: endpoint ?? '', stream: true, status: 'interrupted' } as const;
  return { ...held, log: usageRow(who, detail, progress, nowSeconds) };
}
