import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { candidateOf, channelOf } from './candidate.fixture.ts';
import { inMemory } from './db.fixture.ts';
import type { Override } from './override.ts';
import { catalogOf, failure, requestOf, routingWith, success } from './routing.fixture.ts';
import { strategies } from './score.ts';

type House = Awaited<ReturnType<typeof inMemory>>;
let house: House;
beforeAll(async () => {
  house = await inMemory();
});
afterAll(() => house.close());

const ill = 'p1';
const users = [7, 8];

interface Case {
  healthy: number;
  legacy: boolean;
  override: Override | null;
  seed: number;
}

/** Routing whose first of `healthy + 1` candidates has just become half-open. */
async function halfOpenHouse({ healthy, legacy, seed }: Case) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const ids = Array.from({ length: healthy + 1 }, (_, i) => i + 1);
  const catalog = legacy
    ? catalogOf(
        [],
        ids.map((id) => channelOf(id, { priority: id === 1 ? 9 : 0 })),
      )
    : catalogOf(ids.map((id) => candidateOf(id, { price: [id, id] })));
  const { routing, clock } = await routingWith(house.db, { catalog, random });
  const modelId = legacy ? 'old/model' : 'acme/large';
  const ask = (fields: Partial<Parameters<typeof requestOf>[0]> = {}) =>
    routing.plan(requestOf({ modelId, ...fields }));
  const { key } = (await ask()).candidates.find((one) => one.channel.provider === ill)!;
  for (let i = 0; i < 5; i++) routing.parts.breaker.tryAcquire(key)!.failure();
  expect(routing.parts.breaker.state(key)).toBe('open');
  clock.advance(60_000);
  return { routing, clock, key, ask };
}

const arbitrary: fc.Arbitrary<Case> = fc.record({
  healthy: fc.integer({ min: 1, max: 8 }),
  legacy: fc.boolean(),
  override: fc.oneof(
    fc.constant(null),
    fc.constantFrom(...strategies).map((strategy) => ({ strategy })),
    fc.constantFrom('price' as const, 'latency' as const, 'throughput' as const).map((sort) => ({ sort })),
  ),
  seed: fc.nat(),
});

test('property: with every strategy and any number of healthy candidates, a half-open circuit is tested and closes', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary, async (given) => {
      const { routing, ask, key } = await halfOpenHouse(given);
      let asked = 0;
      while (routing.parts.breaker.state(key) !== 'closed' && asked < 60) {
        asked += 1;
        const plan = await ask({ override: given.override });
        expect(plan.candidates).toHaveLength(given.healthy + 1);
        plan.next()!.report(success());
        plan.close();
      }
      expect(routing.parts.breaker.state(key)).toBe('closed');
      expect(asked).toBeLessThanOrEqual(30);
      await routing.stop();
    }),
    { numRuns: 100 },
  );
}, 300_000);

test('property: a provider that keeps failing costs a small share of requests one extra attempt, and never an answer', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary, async (given) => {
      const { routing, clock, ask } = await halfOpenHouse(given);
      const requests = 400;
      let tests = 0;
      for (let i = 0; i < requests; i++) {
        const plan = await ask({ override: given.override, userId: users[i % 2]! });
        let answered = false;
        for (let attempt = plan.next(); attempt && !answered; attempt = plan.next()) {
          const isIll = attempt.candidate.channel.provider === ill;
          if (isIll) tests += 1;
          else answered = true;
          attempt.report(isIll ? failure() : success());
        }
        plan.close();
        expect(answered).toBe(true);
        // A long pause after each request: the circuit is half-open for every request.
        clock.advance(60_000);
      }
      expect(tests).toBeGreaterThanOrEqual(requests / 10);
      expect(tests).toBeLessThan(requests / 3);
      await routing.stop();
    }),
    { numRuns: 20 },
  );
}, 300_000);

test('several half-open circuits take turns', async () => {
  const { routing, clock, ask } = await halfOpenHouse({ healthy: 4, legacy: false, override: null, seed: 1 });
  const { breaker } = routing.parts;
  const second = (await ask()).candidates.find((one) => one.channel.provider === 'p2')!.key;
  for (let i = 0; i < 5; i++) breaker.tryAcquire(second)!.failure();
  clock.advance(60_000);
  const led = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const plan = await ask({ override: { strategy: 'round_robin' } });
    led.add(plan.candidates[0]!.channel.provider);
    plan.close();
  }
  expect([...led].sort()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
  await routing.stop();
});

test('no test request is made if the request names its providers or forbids fallbacks', async () => {
  const overrides: Override[] = [
    { order: ['p2', 'p1'] },
    { order: ['p3'], allow_fallbacks: false },
    { allow_fallbacks: false, strategy: 'round_robin' },
    { only: ['p2', 'p3'], strategy: 'round_robin' },
    { ignore: ['p1'], strategy: 'cost' },
  ];
  for (const override of overrides) {
    const { routing, ask } = await halfOpenHouse({ healthy: 2, legacy: false, override, seed: 5 });
    for (let i = 0; i < 60; i++) {
      const plan = await ask({ override });
      expect(plan.candidates[0]!.channel.provider).not.toBe(ill);
      plan.close();
    }
    await routing.stop();
  }
  const { routing, ask } = await halfOpenHouse({ healthy: 2, legacy: false, override: null, seed: 5 });
  for (let i = 0; i < 20; i++) {
    const plan = await ask({ override: { order: [ill] } });
    expect(plan.candidates[0]!.channel.provider).toBe(ill);
  }
  await routing.stop();
});

test('the log records that a request tested a provider', async () => {
  const { routing, ask } = await halfOpenHouse({ healthy: 2, legacy: false, override: null, seed: 3 });
  for (let i = 0; i < 10; i++) {
    const plan = await ask({ override: { strategy: 'round_robin' }, requestId: `tested_${i}` });
    const first = plan.next()!;
    const tested = first.candidate.channel.provider === ill;
    first.report(tested ? failure() : success());
    if (tested) plan.next()!.report(success());
    plan.close();
  }
  await routing.stop();
  const rows = await house.db.selectFrom('routing_decisions').selectAll().execute();
  const reasons = rows.filter((row) => row.request_id.startsWith('tested_')).map((row) => row.reason);
  expect(
    reasons.filter((reason) => reason.startsWith('p1 was tried first to check whether it has recovered')),
  ).toHaveLength(1);
});
