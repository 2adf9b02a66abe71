import type Stripe from 'stripe';
import { nowSeconds } from '../lib/clock.ts';
import type { PayingDeps } from './deps.ts';
import { settleTopUp } from './settle.ts';
import { findByPayment, findTopUp, isKnownEvent, nameSession, noteEvent } from './store/topups.ts';

/**
 * An event says which payment to look at, and nothing more: how it stands is asked of Stripe. One that fails is not noted, and
 * comes again.
 */
export async function takeEvent(deps: PayingDeps, event: Stripe.Event): Promise<void> {
  if (await isKnownEvent(deps.db, event.id)) return;
  const id = await topUpOf(deps, event);
  if (id !== null) await settleTopUp(deps, id);
  const { clock, db } = deps;
  await noteEvent(db, { id: event.id, type: event.type, created_at: nowSeconds(clock) });
}

/** Null for what is not about a top-up of this service. */
async function topUpOf(deps: PayingDeps, { type, data }: Stripe.Event): Promise<number | null> {
  // Of each kind of event another type; these fields are read of those kinds alone that have them.
  const object = data.object as { id?: string; metadata?: Stripe.Metadata | null; payment_intent?: unknown };
  if (type.startsWith('checkout.session.')) return ofSession(deps, object.metadata, object.id);
  if (/^(charge|refund)\./.test(type)) return ofPayment(deps, object.payment_intent);
  return null;
}

async function ofSession(
  { db, baseUrl }: PayingDeps,
  marks: Stripe.Metadata | null | undefined,
  sessionId: string | undefined,
): Promise<number | null> {
  const { svc, topup_id = '' } = marks ?? {};
  if (svc !== baseUrl || !/^\d{1,15}$/.test(topup_id) || sessionId === undefined) return null;
  const id = Number(topup_id);
  // It may be paid before we could write down what the session is called.
  await nameSession(db, id, sessionId);
  return (await findTopUp(db, id))?.session_id === sessionId ? id : null;
}

/** Of a payment that we have not heard of yet Stripe knows the session, and what we wrote on it. */
async function ofPayment(deps: PayingDeps, payment: unknown): Promise<number | null> {
  if (typeof payment !== 'string') return null;
  const known = await findByPayment(deps.db, payment);
  if (known) return known.id;
  const sessions = await deps.payments.stripe.checkout.sessions.list({ payment_intent: payment, limit: 1 });
  const session = sessions.data[0];
  return session ? ofSession(deps, session.metadata, session.id) : null;
}
