import { describe, expect, test } from 'bun:test';
import type { AppError } from '../lib/errors.ts';
import { candidateOf, channelOf } from './candidate.fixture.ts';
import { engines, inMemory } from './db.fixture.ts';
import { readAttempts } from './explain.ts';
import type { Report } from './plan.ts';
import { catalogOf, failure, neutral, requestOf, routingWith, success } from './routing.fixture.ts';

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    return (error as AppError).code;
  }
  return 'none';
};

describe.each(await engines())('%s', (_, open) => {
  test('a request is routed, fails, is answered by the next candidate, and is logged', async () => {
    const { db, close } = await open();
    const { routing } = await routingWith(db);
    const plan = await routing.plan(requestOf());
    expect(plan.candidates.map((one) => one.channel.id)).toEqual([1, 2, 3]);
    const first = plan.next()!;
    first.report(failure({ cause: 'timeout', latencyMs: 30_000 }));
    const second = plan.next()!;
    second.report(success({ ttftMs: 40 }));
    plan.close();
    plan.close();
    await routing.stop();
    const rows = await db.selectFrom('routing_decisions').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      request_id: 'req_1',
      user_id: 7,
      model_id: 'acme/large',
      provider: 'p2',
      channel_id: 2,
      strategy: 'balanced',
      outcome: 'success',
    });
    expect(rows[0]!.reason).toMatch(
      /^p1 drawn from the top 3 by balanced score \(0\.75, chance 33 %\); p1 did not answer \(timeout\); p2 answered instead$/,
    );
    expect(readAttempts(rows[0]!)).toEqual([
      {
        provider: 'p1',
        channel_id: 1,
        outcome: 'failure',
        cause: 'timeout',
        status: null,
        latency_ms: 30_000,
        ttft_ms: null,
      },
      { provider: 'p2', channel_id: 2, outcome: 'success', cause: null, status: null, latency_ms: 100, ttft_ms: 40 },
    ]);
    expect(rows[0]!.candidates).not.toContain('secret');
    await close();
  });

  test('changed preferences and configuration apply to the next request', async () => {
    const { db, close } = await open();
    const { routing } = await routingWith(db);
    const first = async () => (await routing.plan(requestOf())).candidates.map((one) => one.channel.id);
    expect(await first()).toEqual([1, 2, 3]);
    await routing.parts.preferences.update(7, { blockedProviders: ['p1'] });
    expect(await first()).toEqual([2, 3]);
    await routing.parts.configs.update('acme/large', { defaultStrategy: 'round_robin' });
    expect([await first(), await first(), await first()]).toEqual([
      [2, 3],
      [3, 2],
      [2, 3],
    ]);
    expect(routing.plan(requestOf())).not.toBeInstanceOf(Promise);
    await routing.stop();
    await close();
  });

  test('after a cycle a failing provider ranks lower, also after a restart', async () => {
    const { db, close } = await open();
    const { routing, clock } = await routingWith(db);
    for (let i = 0; i < 4; i++) {
      const plan = await routing.plan(requestOf());
      plan.next()!.report(failure());
      plan.next()!.report(success());
      plan.close();
    }
    clock.advance(60_000);
    await routing.cycle();
    const order = (await routing.plan(requestOf())).candidates.map((one) => one.channel.id);
    expect(order).toEqual([2, 3, 1]);
    await routing.stop();
    const again = await routingWith(db);
    expect((await again.routing.plan(requestOf())).candidates.map((one) => one.channel.id)).toEqual([2, 3, 1]);
    await again.routing.stop();
    await close();
  });
});

describe('circuits', () => {
  const one = [candidateOf(1)];

  async function single() {
    const { db, close } = await inMemory();
    return { ...(await routingWith(db, { catalog: catalogOf(one) })), close };
  }

  test('only real failures open a circuit, and candidates with an open circuit are not called', async () => {
    const { db, close } = await inMemory();
    const faults: Report[] = [
      failure({ status: 500 }),
      neutral({ cause: 'rate_limited', status: 429 }),
      failure({ cause: 'timeout' }),
      failure({ cause: 'truncated' }),
    ];
    const catalog = catalogOf([1, 2, 3, 4].map((id) => candidateOf(id)));
    const { routing } = await routingWith(db, { catalog, random: Math.random });
    const calls = [0, 0, 0, 0];
    for (let i = 0; i < 20; i++) {
      const plan = await routing.plan(requestOf());
      for (let attempt = plan.next(); attempt; attempt = plan.next()) {
        const index = attempt.candidate.channel.id - 1;
        calls[index]! += 1;
        attempt.report(faults[index]!);
      }
      plan.close();
    }
    expect(calls).toEqual([5, 20, 5, 5]);
    const states = [1, 2, 3, 4].map((id) => routing.parts.breaker.state(`p${id}|acme/large|${id}`));
    expect(states).toEqual(['open', 'closed', 'open', 'open']);
    await routing.stop();
    await close();
  });

  test('with all circuits open no provider is called and the response is 503; after a minute three requests are admitted', async () => {
    const { routing, clock, close } = await single();
    for (let i = 0; i < 5; i++) (await routing.plan(requestOf())).next()!.report(failure());
    const blocked = await routing.plan(requestOf());
    expect(blocked.next()).toBeNull();
    expect(blocked.failure().code).toBe('no_available_provider');
    expect(blocked.failure().status).toBe(503);
    clock.advance(60_000);
    const plans = await Promise.all([1, 2, 3, 4].map(() => routing.plan(requestOf())));
    const attempts = plans.map((plan) => plan.next());
    expect(attempts.map((attempt) => attempt !== null)).toEqual([true, true, true, false]);
    // A request that ends without a report frees its slot.
    plans[0]!.close();
    const late = (await routing.plan(requestOf())).next()!;
    for (const attempt of [attempts[1]!, attempts[2]!, late]) attempt.report(success());
    expect(routing.parts.breaker.state(one[0]!.key)).toBe('closed');
    await routing.stop();
    await close();
  });

  test('a second report of the same attempt is ignored', async () => {
    const { routing, close } = await single();
    const attempt = (await routing.plan(requestOf())).next()!;
    for (let i = 0; i < 9; i++) attempt.report(failure());
    expect(routing.parts.breaker.state(one[0]!.key)).toBe('closed');
    await routing.cycle();
    expect(routing.parts.metrics.snapshot(one[0]!.key)?.totalRequests).toBe(1);
    await routing.stop();
    await close();
  });

  test.each([
    [['rate_limited', 'rate_limited'], 'capacity_exhausted', 429],
    [['rate_limited', 'timeout'], 'timeout', 504],
    [['timeout', 'connection'], 'provider_error', 502],
    [['unauthorized', 'unauthorized'], 'provider_error', 502],
  ] as const)('causes %j result in %s', async (causes, code, status) => {
    const { db, close } = await inMemory();
    const { routing } = await routingWith(db);
    const plan = await routing.plan(requestOf());
    for (const cause of causes) plan.next()!.report(cause === 'rate_limited' ? neutral({ cause }) : failure({ cause }));
    expect([plan.failure().code, plan.failure().status] as [string, number]).toEqual([code, status]);
    await routing.stop();
    await close();
  });
});

describe('candidates', () => {
  test('legacy channels are used only if no provider model exists; 404 if there is no candidate', async () => {
    const { db, close } = await inMemory();
    const channels = [channelOf(8, { priority: 1 }), channelOf(9, { priority: 5 })];
    const { routing } = await routingWith(db, { catalog: catalogOf([candidateOf(1)], channels) });
    const legacy = await routing.plan(requestOf({ modelId: 'old/model' }));
    expect(legacy.strategy).toBe('legacy');
    expect(legacy.candidates.map((one) => [one.channel.id, one.modelName])).toEqual([
      [9, 'old/model'],
      [8, 'old/model'],
    ]);
    expect(await codeOf(() => routing.plan(requestOf({ modelId: 'no/such' })))).toBe('model_not_found');
    expect(await codeOf(() => routing.plan(requestOf({ type: 'image' })))).toBe('model_not_found');
    expect(await codeOf(() => routing.plan(requestOf({ fits: () => false })))).toBe('no_eligible_provider');
    expect(await codeOf(() => routing.plan(requestOf({ override: { only: ['x'] } })))).toBe('no_eligible_provider');
    await routing.stop();
    await close();
  });
});
