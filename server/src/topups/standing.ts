import type Stripe from 'stripe';
import type { TopUpRow } from './store/tables.ts';

export const topUpStatuses = ['open', 'paid', 'partly_refunded', 'refunded', 'disputed', 'expired', 'failed'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** How a payment stands with Stripe. */
export interface Facts {
  /** Of the session, in cents and in its currency. */
  total: number;
  currency: string;
  paid: boolean;
  expired: boolean;
  /** A bank declined what the payer was done with. */
  declined: boolean;
  paymentId: string | null;
  refunded: number;
  disputed: number;
}

/** Disputes whose money Stripe has taken from us; inquiries come before that, and what was won comes back. */
const withdrawn: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost']);

/** Of a payment that will not come any more, though its page is done with. */
const over: ReadonlySet<string> = new Set(['requires_payment_method', 'canceled']);

/**
 * Asked of Stripe, whatever an event says: events come late, twice and in any order, and what is asked is how it stands now.
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

/** In cents: what of a payment is ours to credit. */
export function dueCents({ cents }: Pick<TopUpRow, 'cents'>, facts: Facts): number {
  // Never seen, but what was not paid as it was asked is nothing to credit by rule.
  if (!facts.paid || facts.total !== cents || facts.currency !== 'usd') return 0;
  return Math.max(0, cents - facts.refunded - facts.disputed);
}

export function statusOf({ cents }: Pick<TopUpRow, 'cents'>, facts: Facts): TopUpStatus {
  if (!facts.paid) return facts.declined ? 'failed' : facts.expired ? 'expired' : 'open';
  if (facts.disputed > 0) return 'disputed';
  if (facts.refunded === 0) return 'paid';
  return facts.refunded >= cents ? 'refunded' : 'partly_refunded';
}
