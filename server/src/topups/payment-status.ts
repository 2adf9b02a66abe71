import type Stripe from 'stripe';
import type { TopUpRow } from './store/tables.ts';

export const topUpStatuses = ['open', 'paid', 'partly_refunded', 'refunded', 'disputed', 'expired', 'failed'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** The state of a payment at Stripe. */
export interface Facts {
  /** Amount of the session, in cents of its currency. */
  total: number;
  currency: string;
  paid: boolean;
  expired: boolean;
  /** The bank declined after the payer had completed the page. */
  declined: boolean;
  paymentId: string | null;
  refunded: number;
  disputed: number;
}

/** Disputes for which Stripe has withdrawn the money; inquiries do not withdraw it, and won disputes return it. */
const withdrawn: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost']);

/** States of a payment that will not succeed any more, though its page is complete. */
const over: ReadonlySet<string> = new Set(['requires_payment_method', 'canceled']);

/**
 * Fetched from Stripe regardless of the event: events arrive late, twice and in any order, and only the current state
 * counts.
 */
export async function factsOf(stripe: Stripe, sessionId: string): Promise<Facts> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.latest_charge'] });
  const payment = session.payment_intent;
  const paymentId = typeof payment === 'string' ? payment : (payment?.id ?? null);
  const charge = typeof payment === 'object' ? payment?.latest_charge : null;
  const disputes = paymentId ? (await stripe.disputes.list({ payment_intent: paymentId, limit: 100 })).data : [];
  return {
    total: session.amount_total ?? 0,
    currency: session.currency ?? '',
    paid: session.payment_status === 'paid',
    expired: session.status === 'expired',
    declined: session.status === 'complete' && typeof payment === 'object' && over.has(payment?.status ?? ''),
    paymentId,
    refunded: typeof charge === 'object' ? (charge?.amount_refunded ?? 0) : 0,
    disputed: disputes.reduce((sum, { status, amount }) => sum + (withdrawn.has(status) ? amount : 0), 0),
  };
}

/** The amount of a payment to credit, in cents. */
export function dueCents({ cents }: Pick<TopUpRow, 'cents'>, facts: Facts): number {
  // Not expected, but a payment that differs from what was requested is never credited automatically.
  if (!facts.paid || facts.total !== cents || facts.currency !== 'usd') return 0;
  return Math.max(0, cents - facts.refunded - facts.disputed);
}

export function statusOf({ cents }: Pick<TopUpRow, 'cents'>, facts: Facts): TopUpStatus {
  if (!facts.paid) return facts.declined ? 'failed' : facts.expired ? 'expired' : 'open';
  if (facts.disputed > 0) return 'disputed';
  if (facts.refunded === 0) return 'paid';
  return facts.refunded >= cents ? 'refunded' : 'partly_refunded';
}
