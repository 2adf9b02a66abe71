import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { buildApp } from '../app.ts';
import { until } from '../lib/until.fixture.ts';
import { openLog } from '../platform/log.ts';
import { openPlatform } from '../platform/open.ts';
import { type ScriptedPayment, type ScriptedStripe, scriptedStripe } from './stripe.fixture.ts';

const perDollar = 500_000;
let stripe: ScriptedStripe;
let t: TestApp;
let member: Member;

beforeAll(async () => {
  stripe = scriptedStripe();
  t = await openTestApp({
    env: {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
    },
  });
  await t.setOption('RateLimitEnabled', false);
});
afterAll(async () => {
  await t.close();
  await stripe.close();
});
beforeEach(async () => {
  member = await t.user();
  stripe.onRetrieve = undefined;
  stripe.down = false;
});

const begin = (amount: unknown, by = member) => by.call('/api/user/topups', { method: 'POST', body: { amount } });

/** Starts a payment. */
async function begun(amount = 10): Promise<ScriptedPayment> {
  const answer = await begin(amount);
  expect(answer.status).toBe(201);
  return stripe.payments.at(-1)!;
}

const send = ({ body, signature }: { body: string; signature: string }) =>
  t.call('/api/stripe/webhook', { method: 'POST', body, headers: { 'stripe-signature': signature } });

async function tell(type: string, payment: ScriptedPayment, id?: string): Promise<number> {
  return (await send(await stripe.event(type, payment, id))).status;
}

async function paid(amount = 10): Promise<ScriptedPayment> {
  const payment = await begun(amount);
  payment.paid = true;
  expect(await tell('checkout.session.completed', payment)).toBe(200);
  return payment;
}

interface Entry {
  amount: number;
  note: string;
}
const balance = async (by = member): Promise<number> =>
  ((await (await by.call('/api/user/self')).json()) as { data: { quota: number } }).data.quota;
const ledger = async (): Promise<number[]> =>
  ((await (await member.call('/api/ledger')).json()) as { data: { entries: Entry[] } }).data.entries.map(
    ({ amount }) => amount,
  );
const topUps = async () =>
  (
    (await (await member.call('/api/user/topups')).json()) as {
      data: { topups: { status: string; credited: number; owed: number; amount: number }[]; amounts: number[] };
    }
  ).data;

describe('payments', () => {
  test('a payment starts at a Stripe address with an amount that the operator allows', async () => {
    const answer = await begin(25);
    expect(answer.status).toBe(201);
    const { data } = (await answer.json()) as { data: { url: string; amount: number; quota: number; status: string } };
    const payment = stripe.payments.at(-1)!;
    expect(data).toMatchObject({ amount: 25, quota: 25 * perDollar, status: 'open' });
    expect(data.url).toContain(payment.sessionId);
    expect(payment).toMatchObject({ cents: 2_500, currency: 'usd', metadata: { svc: t.config.baseUrl } });
    expect(await balance()).toBe(0);
    for (const wrong of [3, 0, -5, 10.5, '10', 1e9]) expect((await begin(wrong)).status).toBe(400);
    expect((await topUps()).amounts).toEqual([5, 10, 25, 50, 100]);
  });

  test('a payment is credited once it is paid', async () => {
    const payment = await begun();
    expect(await tell('checkout.session.completed', payment)).toBe(200);
    expect(await balance()).toBe(0);
    payment.paid = true;
    expect(await tell('checkout.session.async_payment_succeeded', payment)).toBe(200);
    expect(await balance()).toBe(10 * perDollar);
    expect((await topUps()).topups).toMatchObject([{ status: 'paid', credited: 10 * perDollar, owed: 0 }]);
  });

  test('a payment is credited once, despite repeated and concurrent events', async () => {
    const payment = await begun();
    payment.paid = true;
    const event = await stripe.event('checkout.session.completed', payment);
    const others = await Promise.all([1, 2, 3].map(() => stripe.event('checkout.session.completed', payment)));
    const answers = await Promise.all([event, event, event, ...others].map(send));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await send(event)).status).toBe(200);
    expect(await balance()).toBe(10 * perDollar);
    expect(await ledger()).toEqual([10 * perDollar]);
  });

  test('an abandoned payment is shown as expired', async () => {
    const payment = await begun();
    payment.expired = true;
    await tell('checkout.session.expired', payment);
    expect((await topUps()).topups).toMatchObject([{ status: 'expired', credited: 0 }]);
  });

  test('a payment declined by a bank days later is shown as failed', async () => {
    const payment = await begun();
    payment.declined = true;
    await tell('checkout.session.async_payment_failed', payment);
    expect((await topUps()).topups).toMatchObject([{ status: 'failed', credited: 0 }]);
    expect(await balance()).toBe(0);
  });

  test('a payment without an event is found by polling', async () => {
    const payment = await begun();
    payment.paid = true;
    const { db } = t.platform.database;
    await db.updateTable('topups').set({ updated_at: 0 }).where('user_id', '=', member.id).execute();
    t.app.sweep();
    await until('it is credited', async () => (await balance()) === 10 * perDollar);
    expect((await topUps()).topups).toMatchObject([{ status: 'paid' }]);
  });

  test('a payment whose page was never shown expires, and is credited once if it is paid after all', async () => {
    const [lost, fresh] = [await begun(), await begun(5)];
    const { db } = t.platform.database;
    const row = (payment: ScriptedPayment) =>
      db.updateTable('topups').where('id', '=', Number(payment.metadata.topup_id));
    const statuses = async () => (await topUps()).topups.map(({ status }) => status);
    // The state after a process died before it stored Stripe's session id.
    await row(lost).set({ session_id: null, updated_at: 0 }).execute();
    await row(fresh).set({ session_id: null }).execute();
    t.app.sweep();
    await until('it ran out', async () => (await statuses())[1] === 'expired');
    expect(await statuses()).toEqual(['open', 'expired']);
    expect(await balance()).toBe(0);

    lost.paid = true;
    const events = await Promise.all([1, 2].map(() => stripe.event('checkout.session.completed', lost)));
    for (const { status } of await Promise.all(events.map(send))) expect(status).toBe(200);
    expect(await statuses()).toEqual(['open', 'paid']);
    expect(await ledger()).toEqual([10 * perDollar]);
    t.app.sweep();
    expect(await tell('checkout.session.completed', fresh)).toBe(200);
    expect(await balance()).toBe(10 * perDollar);
  });

  test('starting payments is rate limited', async () => {
    for (let i = 0; i < 20; i += 1) await begun(5);
    const answer = await begin(5);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await begin(5, await t.user())).status).toBe(201);
  });

  test('a payment with another amount or currency is not credited', async () => {
    for (const wrong of [{ cents: 1 }, { currency: 'jpy' }]) {
      const payment = await begun();
      Object.assign(payment, { paid: true, ...wrong });
      expect(await tell('checkout.session.completed', payment)).toBe(200);
    }
    expect(await balance()).toBe(0);
  });

  test('a payment cannot start while Stripe is away, and leaves nothing open', async () => {
    stripe.down = true;
    expect((await begin(10)).status).toBe(503);
    expect((await topUps()).topups).toMatchObject([{ status: 'failed' }]);
  });

  test('a payment whose event failed is credited when the event is sent again', async () => {
    const payment = await begun();
    payment.paid = true;
    const event = await stripe.event('checkout.session.completed', payment);
    stripe.down = true;
    expect((await send(event)).status).toBeGreaterThanOrEqual(500);
    expect(await balance()).toBe(0);
    stripe.down = false;
    expect((await send(event)).status).toBe(200);
    expect(await balance()).toBe(10 * perDollar);
  });
});

test('two processes handling the same payment credit it once and take it back once', async () => {
  // SQLite has a single process; there it is two calls.
  const alone = t.platform.database.engine === 'sqlite';
  const platform = alone ? null : await openPlatform(t.config, openLog('silent'));
  const other = platform && (await buildApp(platform, t.config));
  try {
    const hear = async (type: string, payment: ScriptedPayment, app: TestApp['app']) => {
      const { body, signature } = await stripe.event(type, payment);
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      const address = new URL('/api/stripe/webhook', t.config.baseUrl);
      return (await app.fetch(new Request(address, { method: 'POST', headers, body }))).status;
    };
    const hearAll = (type: string, payment: ScriptedPayment) =>
      Promise.all(Array.from({ length: 8 }, (_, i) => hear(type, payment, (i % 2 === 0 && other) || t.app)));
    const payment = await begun();
    payment.paid = true;
    expect(await hearAll('checkout.session.completed', payment)).toEqual(Array(8).fill(200));
    expect(await balance()).toBe(10 * perDollar);
    payment.refunded = 1_000;
    expect(await hearAll('charge.refunded', payment)).toEqual(Array(8).fill(200));
    expect(await balance()).toBe(0);
    expect(await ledger()).toEqual([-10 * perDollar, 10 * perDollar]);
  } finally {
    await other?.stop();
    await platform?.close();
  }
});

describe('refunds', () => {
  test('a payment is refunded partly and fully', async () => {
    const payment = await paid();
    payment.refunded = 250;
    await tell('charge.refunded', payment);
    expect(await balance()).toBe(7.5 * perDollar);
    expect((await topUps()).topups).toMatchObject([{ status: 'partly_refunded', credited: 7.5 * perDollar }]);
    payment.refunded = 1_000;
    for (const _ of [1, 2]) await tell('charge.refunded', payment);
    expect(await balance()).toBe(0);
    expect(await ledger()).toEqual([-7.5 * perDollar, -2.5 * perDollar, 10 * perDollar]);
  });

  test('a failed refund is credited again', async () => {
    const payment = await paid();
    payment.refunded = 1_000;
    await tell('charge.refunded', payment);
    payment.refunded = 0;
    await tell('refund.failed', payment);
    expect(await balance()).toBe(10 * perDollar);
  });

  test('a dispute takes the amount back, and a won dispute credits it again', async () => {
    const payment = await paid();
    const dispute = { id: 'dp_1', status: 'needs_response', amount: 1_000 };
    payment.disputes.push(dispute);
    await tell('charge.dispute.created', payment);
    expect(await balance()).toBe(0);
    expect((await topUps()).topups).toMatchObject([{ status: 'disputed' }]);
    dispute.status = 'won';
    await tell('charge.dispute.closed', payment);
    expect(await balance()).toBe(10 * perDollar);
  });

  test('an inquiry changes nothing', async () => {
    const payment = await paid();
    payment.disputes.push({ id: 'dp_2', status: 'warning_needs_response', amount: 1_000 });
    await tell('charge.dispute.created', payment);
    expect(await balance()).toBe(10 * perDollar);
  });

  test('a refunded amount that was spent is owed, and taken once there is a balance', async () => {
    const root = await t.root();
    const give = (quota: number) =>
      root.call(`/api/admin/users/${member.id}/credits`, { method: 'POST', body: { quota } });
    const payment = await paid();
    await give(-6 * perDollar);
    payment.refunded = 1_000;
    await tell('charge.refunded', payment);
    expect(await balance()).toBe(0);
    expect((await topUps()).topups).toMatchObject([{ status: 'refunded', owed: 6 * perDollar }]);
    await give(20 * perDollar);
    await tell('charge.refund.updated', payment);
    expect(await balance()).toBe(14 * perDollar);
    expect((await topUps()).topups).toMatchObject([{ owed: 0, credited: 0 }]);
  });
});

describe('event order', () => {
  test('a refund event may arrive before the payment event', async () => {
    const payment = await begun();
    Object.assign(payment, { paid: true, refunded: 400 });
    await tell('charge.refunded', payment);
    expect(await balance()).toBe(6 * perDollar);
    await tell('checkout.session.completed', payment);
    expect(await balance()).toBe(6 * perDollar);
  });

  test('an older state read from Stripe does not overwrite a newer one', async () => {
    const payment = await begun();
    payment.paid = true;
    const refund = async () => {
      stripe.onRetrieve = undefined;
      payment.refunded = 1_000;
      expect(await tell('charge.refunded', payment)).toBe(200);
    };
    // The first call has fetched that it is paid, and is slow to write it.
    stripe.onRetrieve = refund;
    expect(await tell('checkout.session.completed', payment)).toBe(200);
    expect(await balance()).toBe(0);
    expect((await topUps()).topups).toMatchObject([{ status: 'refunded', credited: 0 }]);
  });
});

describe('webhook events', () => {
  test('an event without a valid Stripe signature is rejected', async () => {
    const payment = await begun();
    payment.paid = true;
    const { body, signature } = await stripe.event('checkout.session.completed', payment);
    const wrong = [
      { body, signature: '' },
      { body, signature: 't=1,v1=00' },
      { body: body.replace('completed', 'complete_'), signature },
      { body: `${body} `, signature },
    ];
    for (const one of wrong) expect((await send(one)).status).toBe(400);
    expect(await balance()).toBe(0);
    expect((await send({ body, signature })).status).toBe(200);
  });

  test('an unrelated event is accepted and changes nothing', async () => {
    const payment = await begun();
    payment.paid = true;
    const foreign = { ...payment, metadata: { ...payment.metadata, svc: 'https://elsewhere.example' } };
    const unknown = { ...payment, paymentId: 'pi_unknown', sessionId: 'cs_unknown' };
    expect(await tell('checkout.session.completed', foreign)).toBe(200);
    expect(await tell('checkout.session.completed', unknown)).toBe(200);
    expect(await tell('charge.refunded', unknown)).toBe(200);
    expect(await tell('customer.created', payment)).toBe(200);
    expect(await balance()).toBe(0);
  });
});

test('administrators see all payments, users their own', async () => {
  await paid(5);
  const root = await t.root();
  const all = async (by: Member, query = '') => by.call(`/api/admin/topups?${query}`);
  expect((await all(member)).status).toBe(403);
  const { data } = (await (await all(root, `user_id=${member.id}`)).json()) as { data: { topups: object[] } };
  expect(data.topups).toMatchObject([{ user_id: member.id, username: member.username, amount: 5, status: 'paid' }]);
  expect((await topUps()).topups).toHaveLength(1);
});

test('amounts are set by the operator; with none, payments are disabled', async () => {
  try {
    await t.setOption('TopUpAmounts', '20 7, 7');
    expect((await topUps()).amounts).toEqual([7, 20]);
    await t.setOption('TopUpAmounts', '');
    expect((await begin(10)).status).toBe(409);
    for (const wrong of ['ten', '0', '1.5', '-1', '100000'])
      await expect(t.setOption('TopUpAmounts', wrong)).rejects.toThrow();
  } finally {
    await t.setOption('TopUpAmounts', '5 10 25 50 100');
  }
});

test('without Stripe, payments are disabled and events are not accepted', async () => {
  const plain = await openTestApp();
  try {
    const somebody = await plain.user();
    expect((await begin(10, somebody)).status).toBe(409);
    const body = JSON.stringify({ id: 'evt_1', type: 'x' });
    expect((await plain.call('/api/stripe/webhook', { method: 'POST', body })).status).toBe(404);
  } finally {
    await plain.close();
  }
});
