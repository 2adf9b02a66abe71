import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { done } from '../../platform/http/answers.ts';
import { receive } from '../../platform/http/body.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { TopUpDeps } from '../deps.ts';
import { takeEvent } from '../events.ts';

/** Far more than any event has. */
const maxBytes = 256 * 1024;

/** Receives Stripe's events. Events without a valid signature are rejected. */
export const webhookRoute = (deps: TopUpDeps): Route =>
  defineRoute({
    tag: 'Credits',
    errors: 'management',
    auth: 'none',
    // Stripe sends many events at once from few addresses, and retries rejected ones.
    limit: { option: 'RateLimitPayments', by: 'ip' },
    method: 'post',
    path: '/api/stripe/webhook',
    summary: 'Receive events from Stripe, signed by Stripe',
    bodyAs: 'raw',
    maxBytes,
    body: z.looseObject({ id: z.string(), type: z.string() }).meta({ id: 'StripeEvent' }),
    answers: { 200: done },
    handle: async (call) => {
      const { payments } = deps;
      if (!payments) throw new AppError('not_found', 'This service does not accept payments.');
      const bytes = await receive(call, maxBytes);
      const signature = call.request.headers.get('stripe-signature') ?? '';
      const { stripe, webhookSecret } = payments;
      const event = await stripe.webhooks.constructEventAsync(bytes, signature, webhookSecret).catch((error) => {
        throw new AppError('invalid_value', 'The Stripe signature is invalid.', { param: 'stripe-signature' }, error);
      });
      await takeEvent({ ...deps, payments }, event);
      return json(call, { success: true, message: 'Heard.' });
    },
  });
