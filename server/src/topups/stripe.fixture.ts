import Stripe from 'stripe';
import { randomString } from '../lib/ids.ts';

/** A payment in the fake Stripe; tests change it as a payer, a bank or an operator would. */
export interface ScriptedPayment {
  sessionId: string;
  paymentId: string;
  metadata: Record<string, string>;
  cents: number;
  currency: string;
  paid: boolean;
  expired: boolean;
  /** Declined by a bank, days after the payer completed the page. */
  declined: boolean;
  refunded: number;
  disputes: { id: string; status: string; amount: number }[];
}

export interface ScriptedStripe {
  url: string;
  secretKey: string;
  webhookSecret: string;
  /** Sessions in the order they were created. */
  payments: ScriptedPayment[];
  /** The requests received: `GET /v1/disputes`. */
  asked: string[];
  /** Called before each response about a session, for tests of concurrent calls. */
  onRetrieve: (() => Promise<void>) | undefined;
  /** All requests fail while it is down. */
  down: boolean;
  /** An event as Stripe sends it: its body and signature header. */
  event(type: string, payment: ScriptedPayment, id?: string): Promise<{ body: string; signature: string }>;
  close(): Promise<void>;
}

/** The parts of Stripe's API that top-ups use, with its names and shapes. */
export function scriptedStripe(): ScriptedStripe {
  const webhookSecret = `whsec_${randomString(24)}`;
  const secretKey = `sk_test_${randomString(24)}`;
  const signer = new Stripe(secretKey);
  const payments: ScriptedPayment[] = [];
  const byIdempotencyKey = new Map<string, ScriptedPayment>();

  const open = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const key = request.headers.get('idempotency-key') ?? randomString(10);
    const before = byIdempotencyKey.get(key);
    if (before) return Response.json(sessionOf(before));
    const payment: ScriptedPayment = {
      sessionId: `cs_test_${randomString(20)}`,
      paymentId: `pi_${randomString(20)}`,
      metadata: { svc: form.get('metadata[svc]') ?? '', topup_id: form.get('metadata[topup_id]') ?? '' },
      cents: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      ...{ paid: false, expired: false, declined: false, refunded: 0, disputes: [] },
    };
    byIdempotencyKey.set(key, payment);
    payments.push(payment);
    return Response.json(sessionOf(payment));
  };

  const scripted: Omit<ScriptedStripe, 'url'> = {
    secretKey,
    webhookSecret,
    payments,
    asked: [],
    onRetrieve: undefined,
    down: false,
    event: async (type, payment, id = `evt_${randomString(20)}`) => {
      const body = JSON.stringify({ id, object: 'event', type, data: { object: objectOf(type, payment) } });
      return {
        body,
        signature: await signer.webhooks.generateTestHeaderStringAsync({ payload: body, secret: webhookSecret }),
      };
    },
    close: () => server.stop(true),
  };

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      scripted.asked.push(`${request.method} ${pathname}`);
      // Without this header the library would retry, and tests would wait for it.
      const init = { status: 500, headers: { 'stripe-should-retry': 'false' } };
      if (scripted.down) return Response.json({ error: { type: 'api_error', message: 'down' } }, init);
      if (request.headers.get('authorization') !== `Bearer ${secretKey}`)
        return Response.json({ error: { type: 'invalid_request_error', message: 'No such key' } }, { status: 401 });
      const ofPayment = payments.filter(({ paymentId }) => paymentId === searchParams.get('payment_intent'));
      if (pathname === '/v1/checkout/sessions')
        return request.method === 'POST' ? open(request) : listOf(pathname, ofPayment.map(sessionOf));
      if (pathname === '/v1/disputes')
        return listOf(
          pathname,
          ofPayment.flatMap(({ disputes }) => disputes),
        );
      const session = payments.find(({ sessionId }) => pathname === `/v1/checkout/sessions/${sessionId}`);
      if (!session)
        return Response.json({ error: { type: 'invalid_request_error', message: 'No such' } }, { status: 404 });
      // A snapshot from when the request arrived.
      const answer = Response.json(sessionOf(session));
      await scripted.onRetrieve?.();
      return answer;
    },
  });
  return Object.assign(scripted, { url: `http://127.0.0.1:${server.port}` });
}

const listOf = (url: string, data: object[]): Response => Response.json({ object: 'list', url, has_more: false, data });

const sessionOf = (payment: ScriptedPayment) => ({
  id: payment.sessionId,
  object: 'checkout.session',
  url: `https://checkout.stripe.example/${payment.sessionId}`,
  amount_total: payment.cents,
  currency: payment.currency,
  metadata: payment.metadata,
  payment_status: payment.paid ? 'paid' : 'unpaid',
  status: payment.expired ? 'expired' : payment.paid || payment.declined ? 'complete' : 'open',
  payment_intent:
    payment.paid || payment.declined
      ? {
          id: payment.paymentId,
          object: 'payment_intent',
          status: payment.paid ? 'succeeded' : 'requires_payment_method',
          latest_charge: { id: 'ch_1', object: 'charge', amount: payment.cents, amount_refunded: payment.refunded },
        }
      : null,
});

/** Events contain a snapshot of their object, with payments by id. */
function objectOf(type: string, payment: ScriptedPayment): object {
  if (type.startsWith('checkout.session.'))
    return { ...sessionOf(payment), payment_intent: payment.paid ? payment.paymentId : null };
  if (type.startsWith('charge.dispute.'))
    return { object: 'dispute', ...payment.disputes.at(-1), payment_intent: payment.paymentId };
  return { id: 'ch_1', object: 'charge', payment_intent: payment.paymentId, amount_refunded: payment.refunded };
}
