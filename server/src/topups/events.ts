import type Stripe from 'stripe';
import { nowSeconds } from '../lib/clock.ts';
import type { PayingDeps } from './deps.ts';
import { settleTopUp } from './settle.ts';
import { findByPayment, findTopUp, isKnownEvent, nameSession, noteEvent } from './store/topups.ts';

/**
 * An event only tells which payment to check; its state is fetched from Stripe. A failed event is not recorded, so that
 * Stripe sends it again.
 */
export async function takeEvent(deps: PayingDeps, event: Stripe.Event): Promise<void> {
  if (await isKnownEvent(deps.db, event.id)) return;
  const id = await topUpOf(deps, event);
  if (id !== null) await settleTopUp(deps, id);
  const { clock, db } = deps;
  await noteEvent(db, { id: event.id, type: event.type, created_at: nowSeconds(clock) });
}

/** Null if it is not about a top-up of this service. */
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
  // The payment may arrive before we have stored the session id.
  await nameSession(db, id, sessionId);
  return (await findTopUp(db, id))?.session_id === sessionId ? id : null;
}

/** For a payment we do not know yet, Stripe has the session with our metadata. */
async function ofPayment(deps: PayingDeps, payment: unknown): Promise<number | null> {
  if (typeof payment !== 'string') return null;
  const known = await findByPayment(deps.db, payment);
  if (known) return known.id;
  const sessions = await deps.payments.stripe.checkout.sessions.list({ payment_intent: payment, limit: 1 });
  const session = sessions.data[0];
  return session ? ofSession(deps, session.metadata, session.id) : null;
}
