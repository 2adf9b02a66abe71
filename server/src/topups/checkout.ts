import type { User } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { amountsIn, quotaPerCent } from '../lib/dollar-amounts.ts';
import { AppError } from '../lib/errors.ts';
import { countAttempt } from './attempts.ts';
import type { PayingDeps, TopUpDeps } from './deps.ts';
import type { TopUpRow } from './store/tables.ts';
import { failTopUp, insertTopUp, nameSession } from './store/topups.ts';

/** The amounts that can be paid, in dollars; empty if payments are not configured. */
export const amountsOf = ({ payments, options }: Pick<TopUpDeps, 'payments' | 'options'>): number[] =>
  payments ? amountsIn(options.get('TopUpAmounts')) : [];

/** Metadata that marks a Stripe object as a top-up of this service, since several services may share an account. */
export const marksOf = (baseUrl: string, id: number) => ({ svc: baseUrl, topup_id: `${id}` });

export function requirePayments(deps: TopUpDeps): PayingDeps {
  const { payments } = deps;
  if (!payments || amountsOf(deps).length === 0)
    throw new AppError('conflict', 'Payments are not enabled on this service. Ask an administrator for credits.');
  return { ...deps, payments };
}

/** Each one is a call to Stripe, and an unpaid session is polled until it expires. */
const mostBegun = 20;
const begunWindowMs = 15 * 60_000;

/** Creates a Stripe Checkout page for the amount. Visiting it credits nothing: Stripe reports when it is paid. */
export async function beginTopUp(
  given: TopUpDeps,
  user: Pick<User, 'id' | 'email' | 'email_verified'>,
  dollars: number,
): Promise<{ topUp: TopUpRow; url: string }> {
  const deps = requirePayments(given);
  const amounts = amountsOf(deps);
  if (!amounts.includes(dollars))
    throw new AppError('invalid_value', `amount must be one of ${amounts.join(', ')}.`, { param: 'amount' });
  await countAttempt(deps.shared, `topup:${user.id}`, { most: mostBegun, windowMs: begunWindowMs }, 'payments');
  const { db, clock } = deps;
  const now = nowSeconds(clock);
  const cents = dollars * 100;
  const topUp = await insertTopUp(db, {
    user_id: user.id,
    cents,
    quota: cents * quotaPerCent,
    status: 'open',
    created_at: now,
    updated_at: now,
  });
  try {
    const { id, url } = await openSession(deps, user, topUp);
    if (!url) throw new Error('the session has no page');
    await nameSession(db, topUp.id, id);
    return { topUp, url };
  } catch (error) {
    await failTopUp(db, topUp.id, now);
    throw new AppError('unavailable', 'The payment page could not be opened. Try again later.', {}, error);
  }
}

function openSession(
  { payments: { stripe }, baseUrl, webUrl }: PayingDeps,
  { email, email_verified }: Pick<User, 'email' | 'email_verified'>,
  { id, cents, created_at }: TopUpRow,
) {
  const metadata = marksOf(baseUrl, id);
  const back = `${webUrl}/credits?topup=${id}`;
  return stripe.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: `${id}`,
      line_items: [
        {
          quantity: 1,
          price_data: { currency: 'usd', unit_amount: cents, product_data: { name: `Credits, top-up ${id}` } },
        },
      ],
      // The credited amount is the amount paid, in dollars.
      adaptive_pricing: { enabled: false },
      metadata,
      payment_intent_data: { metadata },
      success_url: back,
      cancel_url: back,
      ...(email_verified && { customer_email: email }),
    },
    // The library retries broken connections; the key keeps that to one session. It includes the time because a new
    // database reuses ids.
    { idempotencyKey: `${baseUrl} topup ${id} ${created_at}` },
  );
}
