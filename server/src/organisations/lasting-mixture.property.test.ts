import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Member } from '../app.fixture.ts';
import { catchUp } from '../billing/store/filing.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { connectClient } from '../mcp/mcp.fixture.ts';
import { Talk } from '../relay/realtime/realtime.fixture.ts';
import { type LastingWorld, openLastingWorld } from './lasting-work.fixture.ts';
import { checkBooks, kind, openScene, type Scene, type Step, step, take, who } from './mixture.fixture.ts';
import { price } from './organisations.fixture.ts';

/**
 * The same mixture with what outlives a request: batches, runs, realtime sessions, films that are made, tools with a price, codes
 * and payments. They go on while other things happen, so the books are compared once nothing is under way.
 */
setDefaultTimeout(900_000);
const usual = process.env.SVC_TEST_ENGINE === 'postgres' ? 8 : 20;
const runs = process.env.SVC_LONG ? 200 : usual;

const perDollar = 500_000;
const codeQuota = 3 * price;
const clock = manualClock(Date.UTC(2026, 9, 24, 20));
let world: LastingWorld;
let owner: Member;
beforeAll(async () => {
  world = await openLastingWorld(clock);
  owner = await world.t.user();
});
afterAll(() => world.close());

const turns = fc.array(fc.constantFrom('whole', 'open', 'cut'), { maxLength: 3 });
const lines = fc.array(fc.constantFrom('fine 1', 'fine 90', 'bad 1'), { minLength: 1, maxLength: 4 });
const lasting = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind('batch'), who, lines }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('stopBatch'), who }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('talk'), who, turns, waits: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('tool'), who, name: fc.constantFrom('dear', 'failing', 'broken') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('run'), who, waits: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('stopRun'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('orchestrate'), who, stream: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('redeem'), who, times: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('pay'), who, told: fc.integer({ min: 1, max: 3 }), refunded: fc.boolean() }),
  },
);
type Lasting = typeof lasting extends fc.Arbitrary<infer S> ? S : never;
const anything: fc.Arbitrary<Step | Lasting> = fc.oneof(
  { weight: 2, arbitrary: lasting },
  { weight: 1, arbitrary: step },
);

interface LastingScene extends Scene {
  code: string;
}

async function openLastingScene(): Promise<LastingScene> {
  const at = await openScene(world, owner, clock, 48);
  const order = { quota: codeQuota, uses: 1 };
  const { data } = await world.send<{ codes: { code: string }[] }>(
    world.root,
    'POST',
    '/api/admin/redemption-codes',
    order,
  );
  return { ...at, code: data.codes[0]!.code };
}

const isLasting = (one: Step | Lasting): one is Lasting => one.kind in acts;
const acts: { [K in Lasting['kind']]: (at: LastingScene, one: Extract<Lasting, { kind: K }>) => Promise<unknown> } = {
  batch: async ({ call }, { who: by, lines: texts }) => {
    const input = texts.map((content, n) => {
      const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content }] };
      return JSON.stringify({ custom_id: `${n}`, method: 'POST', url: '/v1/chat/completions', body });
    });
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new File([input.join('\n')], 'in.jsonl'));
    const { id } = (await (await call(by, '/v1/files', 'POST', form)).json()) as { id: string };
    const batch = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    await call(by, '/v1/batches', 'POST', batch);
  },
  stopBatch: async ({ call }, { who: by }) => {
    const { data } = (await (await call(by, '/v1/batches', 'GET')).json()) as { data: { id: string }[] };
    if (data[0]) await call(by, `/v1/batches/${data[0].id}/cancel`, 'POST', {});
  },
  talk: async ({ keys }, { who: by, turns: asked, waits }) => {
    const headers = { authorization: `Bearer ${keys[by]!.key}` };
    const talk = new Talk(`ws://127.0.0.1:${world.port}/v1/realtime?model=voice`, { headers });
    const goes = talk
      .told('session.created')
      .then(async () => {
        for (const how of asked) talk.say({ type: 'response.create', response: { instructions: how } });
        if (waits) await talk.told('response.created', asked.length);
      })
      // Refused, or cut off.
      .catch(() => {});
    await goes;
    talk.socket.close();
  },
  tool: async ({ keys }, { who: by, name }) => {
    const { client } = await connectClient(world.t, '/mcp/tools', keys[by]!.key);
    await client.callTool({ name, arguments: {} }).catch(() => {});
    await client.close();
  },
  run: async ({ call }, { who: by, waits }) => {
    const config = { max_iterations: 2 };
    const goal = { message: 'Write a poem.', session_id: crypto.randomUUID(), stream_events: !waits, config };
    const answer = await call(by, '/api/svc-ms/autonomous/execute', 'POST', goal);
    await (waits ? answer.text() : answer.body?.cancel());
  },
  stopRun: async ({ call }, { who: by }) => {
    const answer = await call(by, '/api/svc-ms/autonomous', 'GET');
    const { data } = (await answer.json()) as { data?: { executions?: { session_id: string }[] } };
    const session_id = data?.executions?.[0]?.session_id;
    if (session_id) await call(by, '/api/svc-ms/autonomous/cancel', 'POST', { session_id });
  },
  orchestrate: async ({ call }, { who: by, stream }) => {
    const messages = [{ role: 'user', content: 'Write a poem and translate it.' }];
    return (await call(by, '/v1/chat/completions', 'POST', { model: 'svc/svc-ms', stream, messages })).text();
  },
  redeem: ({ members, code }, { who: by, times }) =>
    Promise.all(
      Array.from({ length: times }, () => world.send(members[by % 2]!, 'POST', '/api/user/redemptions', { code })),
    ),
  pay: async ({ members }, { who: by, told, refunded }) => {
    const { stripe, t } = world;
    const answer = await world.send(members[by % 2]!, 'POST', '/api/user/topups', { amount: 5 });
    const payment = stripe.payments.find(({ metadata }) => metadata.topup_id === `${answer.data.id}`)!;
    const tell = async (type: string) => {
      const { body, signature } = await stripe.event(type, payment);
      const headers = { 'stripe-signature': signature };
      return Promise.all(
        Array.from({ length: told }, () => t.call('/api/stripe/webhook', { method: 'POST', body, headers })),
      );
    };
    payment.paid = true;
    await tell('checkout.session.completed');
    if (!refunded) return;
    payment.refunded = payment.cents;
    await tell('charge.refunded');
  },
};

const perform = (at: LastingScene, one: Step | Lasting): Promise<unknown> =>
  isLasting(one) ? (acts[one.kind] as (to: LastingScene, what: Lasting) => Promise<unknown>)(at, one) : take(at, one);

/** Films may still wait for their next look. */
async function settled(): Promise<void> {
  const { db } = world.t.platform.database;
  await until('batches, runs and sessions have ended', async () => {
    const batches = await db.selectFrom('batches').select('id').where('ended_at', 'is', null).execute();
    const going = await db.selectFrom('ms_runs').select('id').where('status', '=', 'running').execute();
    const metrics = await (await world.t.call('/metrics')).text();
    clock.advance(5_000);
    return batches.length + going.length === 0 && /^svc_realtime_sessions 0$/m.test(metrics);
  });
}

/** Charges are written a moment after some answers. */
async function right(check: () => Promise<void>): Promise<void> {
  let fault: unknown;
  const holds = async () =>
    check().then(
      () => true,
      (error) => {
        fault = error;
        return false;
      },
    );
  await until('the books are right', holds, 10_000).catch(() => {
    throw fault;
  });
}

/** Every code and payment was credited once, and every answer of a batch or a tool charged once. */
async function checkOnce({ accounts, members }: LastingScene, toolsBefore: number): Promise<void> {
  const { db } = world.t.platform.database;
  const ids = members.map(({ id }) => id);
  const topUps = await db.selectFrom('topups').selectAll().where('user_id', 'in', ids).execute();
  for (const { id, credited, owed } of topUps) {
    const payment = world.stripe.payments.find(({ metadata }) => metadata.topup_id === `${id}`)!;
    expect(credited - owed).toBe(((payment.cents - payment.refunded) * perDollar) / 100);
  }
  const credits = await db.selectFrom('credits').select(['amount', 'note']).where('user_id', 'in', ids).execute();
  const redemptions = await db.selectFrom('redemptions').select('quota').where('user_id', 'in', ids).execute();
  expect(redemptions.length).toBeLessThanOrEqual(1);
  const sum = (of: { amount: number }[]) => of.reduce((all, { amount }) => all + amount, 0);
  expect(sum(credits.filter(({ note }) => note.startsWith('Top-up')))).toBe(
    topUps.reduce((all, { credited }) => all + credited, 0),
  );
  await catchUp(db);
  const logs = await db.selectFrom('usage_logs').selectAll().where('user_id', 'in', accounts).execute();
  const called = logs.filter(({ model_id, quota }) => model_id.startsWith('mcp/') && quota === price);
  expect(called).toHaveLength(world.tools.calls.filter(({ name }) => name !== 'broken').length - toolsBefore);
  expect(new Set(logs.map(({ request_id }) => request_id)).size).toBe(logs.length);
  const batches = await db.selectFrom('batches').select(['id', 'succeeded']).where('user_id', 'in', ids).execute();
  for (const { id, succeeded } of batches)
    expect(logs.filter(({ parent_request_id, quota }) => parent_request_id === id && quota > 0)).toHaveLength(
      succeeded,
    );
}

test('credits are balance, usage and holds after any mixture of what lasts', async () => {
  const rounds = fc.array(fc.array(anything, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const at = await openLastingScene();
      const toolsBefore = world.tools.calls.filter(({ name }) => name !== 'broken').length;
      for (const round of all) {
        await Promise.all(round.map((one) => perform(at, one)));
        await right(() => checkBooks(at));
        // Circuits that failures opened let the next one try again.
        clock.advance(61_000);
      }
      await settled();
      await right(() => checkBooks(at));
      await right(() => checkOnce(at, toolsBefore));
      expect((await world.send(owner, 'DELETE', at.path(''))).status).toBe(200);
      await right(() => checkBooks({ ...at, budgets: async () => [] }));
    }),
    { numRuns: runs },
  );
});
