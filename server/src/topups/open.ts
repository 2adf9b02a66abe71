import { nowSeconds } from '../lib/clock.ts';
import { inBatches, type PersonalData, sweepBatches } from '../platform/db/pages.ts';
import type { Route } from '../platform/http/route.ts';
import type { TopUpDeps } from './deps.ts';
import { codeRoutes } from './routes/codes.ts';
import { topUpRoutes } from './routes/topups.ts';
import { webhookRoute } from './routes/webhook.ts';
import { settleTopUp } from './settle.ts';
import { exportOf } from './store/account-data.ts';
import { deleteOldEvents, expireUnnamed, findUnsettled, postponeTopUp } from './store/topups.ts';
import type { StripeConfig } from './stripe.ts';

export interface TopUps {
  routes: Route[];
  exportOf(userId: number): PersonalData;
  /** Financial records stay, so that the books add up; they contain no personal data. */
  forgetUser(userId: number): Promise<void>;
  sweep(): Promise<void>;
}

/** Events may get lost; a payment without an event is found after this time. */
const unheardSeconds = 900;
/** Each one is a call to Stripe. */
const mostAsked = 5;
/**
 * Checkout pages expire after a day. If one is paid nevertheless, its event has the id, and it is credited like any
 * other.
 */
const unnamedSeconds = 2 * 86_400;
/** Stripe retries an event for three days. */
const eventSeconds = 30 * 86_400;

/** Ways to get credits without an administrator: codes, and payments if Stripe is configured. */
export async function openTopUps(
  given: Omit<TopUpDeps, 'payments'> & { stripe: StripeConfig | undefined },
): Promise<TopUps> {
  const { stripe, ...rest } = given;
  // Loading the library takes a tenth of a second, which services without payments can save.
  const payments = stripe ? (await import('./stripe.ts')).openPayments(stripe) : null;
  const deps: TopUpDeps = { ...rest, payments };
  const { db, clock, log } = deps;

  const settleUnheard = async (): Promise<void> => {
    if (!payments) return;
    const now = nowSeconds(clock);
    for (const id of await findUnsettled(db, now - unheardSeconds, mostAsked))
      await settleTopUp({ ...deps, payments }, id).catch(async (error) => {
        log.warn({ error, topUp: id }, 'the status of a payment could not be fetched');
        await postponeTopUp(db, id, now);
      });
  };

  return {
    routes: [...codeRoutes(deps), ...topUpRoutes(deps), webhookRoute(deps)],
    exportOf: (userId) => exportOf(db, userId),
    forgetUser: async () => {},
    sweep: async () => {
      await inBatches((most) => deleteOldEvents(db, nowSeconds(clock) - eventSeconds, most), sweepBatches);
      const now = nowSeconds(clock);
      await inBatches((most) => expireUnnamed(db, now - unnamedSeconds, now, most), sweepBatches);
      await settleUnheard();
    },
  };
}
