import type Stripe from 'stripe';
import type { Billing } from '../billing/billing.ts';
import type { AuditLog } from '../identity/audit/log.ts';
import type { Options } from '../identity/options.ts';
import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import type { Shared } from '../platform/shared/port.ts';

export interface TopUpDeps {
  db: Db;
  clock: Clock;
  log: Log;
  shared: Pick<Shared, 'hit'>;
  billing: Pick<Billing, 'grant' | 'heldBy'>;
  audit: Pick<AuditLog, 'record'>;
  options: Pick<Options, 'get'>;
  /** The address of the service, which tells its payments from others in the same Stripe account. */
  baseUrl: string;
  webUrl: string;
  /** Null if payments are not configured. */
  payments: Payments | null;
}

export interface Payments {
  stripe: Stripe;
  webhookSecret: string;
}

/** With payments configured. */
export type PayingDeps = TopUpDeps & { payments: Payments };
