import type { Origin } from '../identity/audit/log.ts';
import { findUserRow } from '../identity/store/users.ts';
import { nowSeconds } from '../lib/clock.ts';
import { quotaPerCent } from '../lib/dollar-amounts.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { PayingDeps } from './deps.ts';
import { dueCents, type Facts, factsOf, statusOf } from './payment-status.ts';
import type { TopUpRow } from './store/tables.ts';
import { lookAtTopUp, writeStanding } from './store/topups.ts';

/** Another call has fetched the payment since: our facts may be outdated. */
class Overtaken extends Error {}

/**
 * Brings the balance in line with a payment: credits what was paid, and takes back what was refunded or is disputed.
 * May be called at any time and any number of times. The call that fetched last writes, together with the balance in
 * one transaction. An overtaken call does nothing, because the later one knows more; if that fails, its event is sent
 * again, or the sweep finds the payment. Retrying here instead could make two calls overtake each other forever.
 */
export async function settleTopUp(deps: PayingDeps, id: number): Promise<void> {
  const row = await lookAtTopUp(deps.db, id);
  if (!row || row.session_id === null) return;
  const facts = await factsOf(deps.payments.stripe, row.session_id);
  try {
    await move(deps, row, facts);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
}

async function move(deps: PayingDeps, row: TopUpRow, facts: Facts): Promise<void> {
  const due = dueCents(row, facts) * quotaPerCent;
  if (facts.paid && (facts.total !== row.cents || facts.currency !== 'usd'))
    deps.log.error(
      { topUp: row.id, total: facts.total, currency: facts.currency },
      'a payment does not match its top-up',
    );
  /** Updates the row to match the credited amount. */
  const write = async (tx: Db, credited: number): Promise<void> => {
    const standing = {
      ...{ credited, owed: Math.max(0, credited - due), status: statusOf(row, facts), payment_id: facts.paymentId },
      updated_at: nowSeconds(deps.clock),
    };
    if (!(await writeStanding(tx, row, standing))) throw new Overtaken();
  };
  const change = due - row.credited;
  if (change > 0) await credit(deps, row, change, write);
  else if (change < 0) await takeBack(deps, row, -change, write);
  else await write(deps.db, row.credited);
}

type WriteRow = (tx: Db, credited: number) => Promise<void>;

async function credit(deps: PayingDeps, row: TopUpRow, quota: number, write: WriteRow): Promise<void> {
  const note = `Top-up ${row.id}`;
  try {
    await deps.billing.grant({
      ...{ userId: row.user_id, quota, note, by: 0 },
      also: (tx) => write(tx, row.credited + quota),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The account was deleted or its balance is at the maximum; retrying would not help.
    deps.log.error({ error, topUp: row.id, userId: row.user_id }, 'a payment cannot be credited; refund it');
    await write(deps.db, row.credited);
    return;
  }
  record(deps, 'topup_credited', row, quota);
}

/** Takes as much as the balance has; the rest is owed and taken once there is a balance again. */
async function takeBack(deps: PayingDeps, row: TopUpRow, wanted: number, write: WriteRow): Promise<void> {
  const { db, billing } = deps;
  const note = `Top-up ${row.id}, refunded`;
  const take = async (quota: number): Promise<boolean> => {
    if (quota <= 0) return false;
    try {
      await billing.grant({
        ...{ userId: row.user_id, quota: -quota, note, by: 0 },
        also: (tx) => write(tx, row.credited - quota),
      });
      record(deps, 'topup_taken_back', row, quota);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_value') return false;
      throw error;
    }
  };
  if (await take(wanted)) return;
  // A charge that is written meanwhile may be missing in the balance that was read.
  const held = billing.heldBy(row.user_id);
  const balance = (await findUserRow(db, row.user_id))?.quota ?? 0;
  if (await take(Math.min(wanted, balance - Math.max(held, billing.heldBy(row.user_id))))) return;
  deps.log.warn({ topUp: row.id, userId: row.user_id, wanted }, 'a refunded payment was already spent');
  await write(db, row.credited);
}

const fromStripe: Origin = { ip: '', userAgent: 'Stripe' };

function record({ audit }: PayingDeps, action: string, { id, user_id }: TopUpRow, quota: number): void {
  const target = { type: 'topup', id };
  audit.record({ action, actor: user_id, target, metadata: { quota }, origin: fromStripe });
}
