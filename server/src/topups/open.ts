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
  /** The books stay, or they would not add up; nothing in them names anybody. */
  forgetUser(userId: number): Promise<void>;
  sweep(): Promise<void>;
}

/** Events may be lost; a payment that nobody told of is found by then. */
const unheardSeconds = 900;
/** Each is a question to Stripe. */
const mostAsked = 5;
/** Pages of Stripe's run out after a day. Were one paid after all, its event names it, and it is credited as any other. */
const unnamedSeconds = 2 * 86_400;
/** Stripe sends an event for three days. */
const eventSeconds = 30 * 86_400;

/** Ways to get credits without an administrator: codes, and payments where Stripe is set up. */
export async function openTopUps(
  given: Omit<TopUpDeps, 'payments'> & { stripe: StripeConfig | undefined },
): Promise<TopUps> {
  const { stripe, ...rest } = given;
  // Its library takes a start a tenth of a second, which those without payments need not wait.
  const payments = stripe ? (await import('./stripe.ts')).openPayments(stripe) : null;
  const deps: TopUpDeps = { ...rest, payments };
  const { db, clock, log } = deps;

  const settleUnheard = async (): Promise<void> => {
    if (!payments) return;
    const now = nowSeconds(clock);
    for (const id of await findUnsettled(db, now - unheardSeconds, mostAsked))
      await settleTopUp({ ...deps, payments }, id).catch(async (error) => {
        log.warn({ error, topUp: id }, 'how a payment stands could not be told');
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
