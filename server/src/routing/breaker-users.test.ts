import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { manualClock } from '../lib/clock.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { type Breaker, openBreaker } from './breaker.ts';
import type { CircuitState } from './circuit.ts';

const key = 'p1|acme/large|1';
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function opened() {
  const clock = manualClock();
  const breaker = await openBreaker({ clock });
  closers.push(() => breaker.close());
  return { clock, breaker };
}

const fail = (breaker: Breaker, ...users: number[]) => {
  for (const user of users) breaker.tryAcquire(key, user)!.failure();
};
const [anna, ben, cleo] = [1, 2, 3];
const five = (user: number) => [user, user, user, user, user];

describe('a circuit opened by the failures of one user', () => {
  test('is open for that user and closed for others', async () => {
    const { breaker } = await opened();
    fail(breaker, ...five(anna));
    expect(breaker.state(key)).toBe('open');
    expect([breaker.state(key, anna), breaker.state(key, ben)]).toEqual(['open', 'closed']);
    expect(breaker.tryAcquire(key, anna)).toBeNull();
    for (let i = 0; i < 20; i++) expect(breaker.tryAcquire(key, ben)).not.toBeNull();
  });

  test('recovers for that user like any other circuit', async () => {
    const { breaker, clock } = await opened();
    fail(breaker, ...five(anna));
    clock.advance(60_000);
    expect([breaker.state(key, anna), breaker.state(key, ben)]).toEqual(['half_open', 'closed']);
    fail(breaker, anna);
    expect([breaker.state(key, anna), breaker.state(key, ben)]).toEqual(['open', 'closed']);
    clock.advance(60_000);
    // Requests of other users take no test slots and do not close the circuit.
    for (let i = 0; i < 9; i++) breaker.tryAcquire(key, ben)!.success();
    breaker.tryAcquire(key, ben)!.neutral();
    expect(breaker.state(key, anna)).toBe('half_open');
    const probes = [1, 2, 3].map(() => breaker.tryAcquire(key, anna)!);
    expect(breaker.tryAcquire(key, anna)).toBeNull();
    for (const probe of probes) probe.success();
    expect(breaker.state(key)).toBe('closed');
  });

  test('opens for everyone once other users fail too', async () => {
    for (const others of [five(ben), [ben, cleo, ben, cleo, ben]]) {
      const { breaker } = await opened();
      fail(breaker, ...five(anna), ...others);
      expect([anna, ben, cleo, 4].map((user) => breaker.state(key, user))).toEqual(Array(4).fill('open'));
    }
  });

  test('stays closed for other users with only occasional failures', async () => {
    const { breaker } = await opened();
    fail(breaker, ...five(anna));
    for (let i = 0; i < 20; i++) {
      fail(breaker, ben);
      breaker.tryAcquire(key, cleo)!.success();
    }
    expect(breaker.state(key, ben)).toBe('closed');
  });
});

test('failures of several users open it for everyone; a single one among those of one user does not', async () => {
  const runs: [number[], CircuitState, CircuitState][] = [
    [[anna, ben, anna, ben, anna], 'open', 'open'],
    [[anna, anna, anna, ben, ben], 'open', 'open'],
    [[anna, ben, cleo, 4, 5], 'open', 'open'],
    [[anna, anna, anna, anna, ben], 'closed', 'closed'],
    [[anna, anna, anna, anna, ben, anna], 'open', 'closed'],
    [[ben, anna, anna, anna, anna, anna], 'open', 'closed'],
    [[anna, anna, anna, anna, ben, cleo], 'open', 'open'],
    [[0, 0, 0, 0, 0], 'open', 'open'],
  ];
  for (const [run, forAnna, forOthers] of runs) {
    const { breaker } = await opened();
    fail(breaker, ...run);
    expect([run, breaker.state(key, anna), breaker.state(key, 99)]).toEqual([run, forAnna, forOthers]);
  }
});

test('property: failures of one user never block another user', async () => {
  const step = fc.oneof(
    fc.constant({ who: anna, end: 'failure' as const }),
    fc.record({ who: fc.constant(anna), end: fc.constantFrom('success' as const, 'neutral' as const) }),
    fc.record({ who: fc.constantFrom(ben, cleo), end: fc.constantFrom('success' as const, 'neutral' as const) }),
    fc.record({ waitMs: fc.integer({ min: 0, max: 70_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 100 }), async (steps) => {
      const clock = manualClock();
      const breaker = await openBreaker({ clock });
      for (const one of steps) {
        if ('waitMs' in one) clock.advance(one.waitMs);
        else breaker.tryAcquire(key, one.who)?.[one.end]();
        for (const other of [ben, cleo]) {
          expect(breaker.state(key, other)).toBe('closed');
          expect(breaker.tryAcquire(key, other)).not.toBeNull();
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('processes share for whom a circuit is open, and combine their failures', async () => {
  const clock = manualClock();
  const shared = memoryShared(clock);
  closers.push(() => shared.close());
  const process = async () => {
    const breaker = await openBreaker({ clock, shared, knownKeys: async () => [key] });
    closers.push(() => breaker.close());
    return breaker;
  };
  const [a, b] = [await process(), await process()];
  fail(a, ...five(anna));
  await Bun.sleep(0);
  expect([b.state(key, anna), b.state(key, ben)]).toEqual(['open', 'closed']);
  const late = await process();
  await late.reread([key]);
  expect([late.state(key, anna), late.state(key, ben)]).toEqual(['open', 'closed']);
  clock.advance(1);
  fail(b, ...five(ben));
  await Bun.sleep(0);
  for (const one of [a, b])
    expect([anna, ben, cleo].map((user) => one.state(key, user))).toEqual(Array(3).fill('open'));
});
