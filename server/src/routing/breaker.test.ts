import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { manualClock } from '../lib/clock.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import type { Shared } from '../platform/shared/port.ts';
import { type Breaker, openBreaker } from './breaker.ts';

const key = 'p1|acme/large|1';
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function breakerWith(deps: Partial<Parameters<typeof openBreaker>[0]> = {}) {
  const clock = manualClock();
  const breaker = await openBreaker({ clock, ...deps });
  closers.push(() => breaker.close());
  return { clock, breaker };
}

const fail = (breaker: Breaker, times: number) => {
  for (let i = 0; i < times; i++) breaker.tryAcquire(key)!.failure();
};

describe('circuit breaker states', () => {
  test('opens after five consecutive failures; a success resets the count', async () => {
    const { breaker } = await breakerWith();
    fail(breaker, 4);
    breaker.tryAcquire(key)!.success();
    fail(breaker, 4);
    expect(breaker.state(key)).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state(key)).toBe('open');
    expect(breaker.tryAcquire(key)).toBeNull();
    expect(breaker.state('p2|acme/large|2')).toBe('closed');
  });

  test('closed → open → half-open → closed', async () => {
    const seen: string[] = [];
    const { breaker, clock } = await breakerWith({ onTransition: (_, state) => seen.push(state) });
    fail(breaker, 5);
    clock.advance(59_999);
    expect(breaker.tryAcquire(key)).toBeNull();
    clock.advance(1);
    const probes = [breaker.tryAcquire(key)!, breaker.tryAcquire(key)!, breaker.tryAcquire(key)!];
    expect(breaker.state(key)).toBe('half_open');
    expect(breaker.tryAcquire(key)).toBeNull();
    probes[0]!.success();
    probes[1]!.success();
    expect(breaker.state(key)).toBe('half_open');
    expect(breaker.tryAcquire(key)).toBeNull();
    probes[2]!.success();
    expect(breaker.state(key)).toBe('closed');
    expect(seen).toEqual(['open', 'half_open', 'closed']);
    fail(breaker, 4);
    expect(breaker.state(key)).toBe('closed');
  });

  test('a circuit without requests for a day is forgotten in any state', async () => {
    const { breaker, clock } = await breakerWith();
    fail(breaker, 5);
    clock.advance(86_400_000);
    breaker.recoverAll();
    expect(breaker.state(key)).toBe('half_open');
    clock.advance(1);
    breaker.recoverAll();
    expect(breaker.state(key)).toBe('closed');
  });

  test('half-open → open on any failure, for another 60 s', async () => {
    const { breaker, clock } = await breakerWith();
    fail(breaker, 5);
    clock.advance(60_000);
    const probes = [breaker.tryAcquire(key)!, breaker.tryAcquire(key)!, breaker.tryAcquire(key)!];
    probes[0]!.success();
    clock.advance(5_000);
    probes[1]!.failure();
    expect(breaker.state(key)).toBe('open');
    clock.advance(59_999);
    expect(breaker.state(key)).toBe('open');
    clock.advance(1);
    expect(breaker.state(key)).toBe('half_open');
    probes[2]!.failure();
    expect(breaker.state(key)).toBe('half_open');
  });

  test('the recovery check changes the state without a request', async () => {
    const seen: string[] = [];
    const { breaker, clock } = await breakerWith({ onTransition: (_, state) => seen.push(state) });
    fail(breaker, 5);
    clock.advance(60_000);
    breaker.recoverAll();
    expect(seen).toEqual(['open', 'half_open']);
  });
});

describe('circuit breaker permits', () => {
  test('a neutral outcome changes nothing and releases the permit', async () => {
    const { breaker, clock } = await breakerWith();
    fail(breaker, 4);
    breaker.tryAcquire(key)!.neutral();
    fail(breaker, 1);
    expect(breaker.state(key)).toBe('open');
    clock.advance(60_000);
    for (let i = 0; i < 10; i++) breaker.tryAcquire(key)!.neutral();
    const probes = [breaker.tryAcquire(key)!, breaker.tryAcquire(key)!, breaker.tryAcquire(key)!];
    expect(breaker.tryAcquire(key)).toBeNull();
    for (const probe of probes) probe.success();
    expect(breaker.state(key)).toBe('closed');
  });

  test('only the first report of a permit counts', async () => {
    const { breaker } = await breakerWith();
    const permit = breaker.tryAcquire(key)!;
    for (let i = 0; i < 9; i++) permit.failure();
    expect(breaker.state(key)).toBe('closed');
  });

  test('requests sent before the circuit opened do not affect its recovery', async () => {
    const { breaker, clock } = await breakerWith();
    const early = [1, 2, 3, 4].map(() => breaker.tryAcquire(key)!);
    fail(breaker, 5);
    clock.advance(60_000);
    expect(breaker.state(key)).toBe('half_open');
    early[0]!.success();
    early[1]!.success();
    early[2]!.success();
    expect(breaker.state(key)).toBe('half_open');
    early[3]!.failure();
    expect(breaker.state(key)).toBe('half_open');
  });

  test('permits of test requests that never report are released after ten minutes', async () => {
    const { breaker, clock } = await breakerWith();
    fail(breaker, 5);
    clock.advance(60_000);
    for (let i = 0; i < 3; i++) breaker.tryAcquire(key);
    clock.advance(599_999);
    expect(breaker.tryAcquire(key)).toBeNull();
    clock.advance(1);
    expect(breaker.tryAcquire(key)).not.toBeNull();
  });
});

test('property: an open circuit admits nothing, a half-open one at most 3 requests at a time', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('acquire' as const) }),
    fc.record({ do: fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const), which: fc.nat() }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 70_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const clock = manualClock();
      const breaker = await openBreaker({ clock });
      const out: { permit: NonNullable<ReturnType<Breaker['tryAcquire']>>; probe: boolean }[] = [];
      for (const one of steps) {
        const state = breaker.state(key);
        if (one.do === 'wait') clock.advance(one.ms);
        else if (one.do === 'acquire') {
          const permit = breaker.tryAcquire(key);
          if (state === 'open') expect(permit).toBeNull();
          if (state === 'closed') expect(permit).not.toBeNull();
          if (permit) out.push({ permit, probe: state === 'half_open' });
        } else if (out.length > 0) {
          out.splice(one.which % out.length, 1)[0]!.permit[one.do]();
        }
        if (breaker.state(key) !== 'half_open') for (const each of out) each.probe = false;
        expect(out.filter((each) => each.probe).length).toBeLessThanOrEqual(3);
      }
    }),
    { numRuns: 300 },
  );
});

describe('circuit breaker across processes', () => {
  const settle = () => Bun.sleep(0);

  async function pair() {
    const clock = manualClock();
    const shared = memoryShared(clock);
    closers.push(() => shared.close());
    const open = async () => {
      const breaker = await openBreaker({ clock, shared, knownKeys: async () => [key] });
      closers.push(() => breaker.close());
      return breaker;
    };
    return { clock, shared, open, a: await open(), b: await open() };
  }

  test('a circuit opened in one process is open in the other, and either can close it', async () => {
    const { clock, a, b } = await pair();
    fail(a, 5);
    await settle();
    expect(b.state(key)).toBe('open');
    expect(b.tryAcquire(key)).toBeNull();
    clock.advance(60_000);
    expect(b.state(key)).toBe('half_open');
    for (let i = 0; i < 3; i++) b.tryAcquire(key)!.success();
    await settle();
    expect(a.state(key)).toBe('closed');
  });

  test('a failed test request in one process reopens the circuit in both', async () => {
    const { clock, a, b } = await pair();
    fail(a, 5);
    await settle();
    clock.advance(60_000);
    b.tryAcquire(key)!.failure();
    await settle();
    expect(a.state(key)).toBe('open');
    clock.advance(59_999);
    expect(a.state(key)).toBe('open');
  });

  test('a new process reads the state reported before it started', async () => {
    const { a, open } = await pair();
    fail(a, 5);
    await settle();
    const c = await open();
    expect(c.state(key)).toBe('closed');
    await c.reread([key]);
    expect(c.state(key)).toBe('open');
  });

  test('after a gap, missed reports are read, and reports that others missed are sent again', async () => {
    const clock = manualClock();
    const inner = memoryShared(clock);
    closers.push(() => inner.close());
    let gap = () => {};
    let cut = false;
    const flaky: Shared = {
      ...inner,
      publish: (channel, text) => (cut ? Promise.reject(new Error('away')) : inner.publish(channel, text)),
      set: (name, value, ttl) => (cut ? Promise.reject(new Error('away')) : inner.set(name, value, ttl)),
      subscribe: (channel, onMessage, onGap) => {
        gap = onGap ?? gap;
        return inner.subscribe(channel, (text) => !cut && onMessage(text), onGap);
      },
    };
    const near = await openBreaker({ clock, shared: flaky, knownKeys: async () => [key] });
    const far = await openBreaker({ clock, shared: inner });
    closers.push(
      () => near.close(),
      () => far.close(),
    );
    cut = true;
    fail(near, 5);
    far.tryAcquire('x|y|9');
    for (let i = 0; i < 5; i++) far.tryAcquire('x|y|9')!.failure();
    await settle();
    expect(far.state(key)).toBe('closed');
    expect(near.state('x|y|9')).toBe('closed');
    cut = false;
    gap();
    await near.reread(['x|y|9']);
    await settle();
    expect(far.state(key)).toBe('open');
    expect(near.state('x|y|9')).toBe('open');
  });

  test('invalid messages on the channel are ignored', async () => {
    const { shared, a } = await pair();
    for (const text of ['', '{', '[]', '{"key":"p1|acme/large|1","state":"ajar","atMs":9e15,"from":"x"}']) {
      await shared.publish('routing:breaker', text);
    }
    await settle();
    expect(a.state(key)).toBe('closed');
  });
});
