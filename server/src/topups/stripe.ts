import Stripe from 'stripe';
import type { Payments } from './deps.ts';

export interface StripeConfig {
  secretKey: string;
  webhookSecret: string;
  /** Address of Stripe's API; differs in tests. */
  apiUrl?: string | undefined;
}

/** A user waits for the checkout page, and Stripe waits for the response to its events. */
const timeoutMs = 20_000;

export function openPayments({ secretKey, webhookSecret, apiUrl }: StripeConfig): Payments {
  const place = apiUrl === undefined ? {} : placeOf(new URL(apiUrl));
  return {
    stripe: new Stripe(secretKey, { timeout: timeoutMs, maxNetworkRetries: 2, telemetry: false, ...place }),
    webhookSecret,
  };
}

const placeOf = ({ protocol, hostname, port }: URL) => {
  const secure = protocol === 'https:';
  return {
    host: hostname,
    port: port || (secure ? 443 : 80),
    protocol: secure ? ('https' as const) : ('http' as const),
  };
};
