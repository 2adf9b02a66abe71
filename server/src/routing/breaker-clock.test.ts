import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ManualClock, manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { openShared } from '../platform/shared/open.ts';
import type { Shared } from '../platform/shared/port.ts';
import { type RedisServer, startRedis } from '../platform/shared/redis-server.fixture.ts';
import { type Breaker, openBreaker } from './breaker.ts';

const key = 'p1|acme/large|1';
const recoveryMs = 60_000;
const minuteMs = 60_000;

interface Peer {
  clock: ManualClock;
  breaker: Breaker;
}

const peerOn = async (shared: Shared): Promise<Peer> => {
  const clock = manualClock();
  return { clock, breaker: await openBreaker({ clock, shared, knownKeys: async () => [key] }) };
};
const failures = ({ breaker }: Peer) => {
  for (let i = 0; i < 5; i += 1) breaker.tryAcquire(key)?.failure();
};
const successes = ({ breaker }: Peer) => {
  for (let i = 0; i < 3; i += 1) breaker.tryAcquire(key)?.success();
};

/** How far off the clock of the first of two processes is while it opens a circuit, and how it is corrected. */
const faults: Record<string, { wrong: number; right: number }> = {
  'jumps 90 minutes ahead and back': { wrong: 90 * minuteMs, right: -90 * minuteMs },
  'jumps 90 minutes ahead and stays': { wrong: 90 * minuteMs, right: 0 },
  'jumps 90 minutes back': { wrong: -90 * minuteMs, right: 0 },
  'is 25 seconds behind': { wrong: -25_000, right: 0 },
};

describe('circuits of two processes on Redis when the clock of one', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test.each(Object.entries(faults))('%s: the circuit recovers in time in both', async (name, { wrong, right }) => {
    const shared = [1, 2].map(() => openShared({ redisUrl: redis.url, prefix: `${name}:` }, manualClock()));
    const [first, second] = await Promise.all(shared);
    const [one, other] = [await peerOn(first!), await peerOn(second!)];
    const both = [one, other];
    one.clock.jump(wrong);
    failures(one);
    await until('open there', () => other.breaker.state(key) === 'open');
    one.clock.jump(right);
    for (const { clock } of both) clock.advance(recoveryMs);
    expect(both.map(({ breaker }) => breaker.state(key))).toEqual(['half_open', 'half_open']);
    // Whichever process closes it, the other accepts that, regardless of its clock.
    successes(one);
    await until('closed there', () => other.breaker.state(key) === 'closed');
    failures(other);
    await until('open here', () => one.breaker.state(key) === 'open');
    for (const { clock } of both) clock.advance(recoveryMs);
    successes(other);
    await until('closed here', () => one.breaker.state(key) === 'closed');
    for (const { breaker } of both) await breaker.close();
    await Promise.all([first!.close(), second!.close()]);
  });

  test('a process that joins later keeps a circuit open no longer than the recovery time', async () => {
    const shared = await openShared({ redisUrl: redis.url, prefix: 'late:' }, manualClock());
    const one = await peerOn(shared);
    one.clock.jump(90 * minuteMs);
    failures(one);
    const late = await peerOn(shared);
    await until('it has been told', async () => {
      await late.breaker.reread([key]);
      return late.breaker.state(key) === 'open';
    });
    expect(late.breaker.opensAgainInMs(key)).toBeLessThanOrEqual(recoveryMs);
    late.clock.advance(recoveryMs);
    expect(late.breaker.state(key)).toBe('half_open');
    for (const { breaker } of [one, late]) await breaker.close();
    await shared.close();
  });
});

type Step = { who: 0 | 1; does: 'fail' | 'succeed' } | { passMs: number } | { who: 0 | 1; jumpMs: number };

const steps = fc.array(
  fc.oneof(
    fc.record({
      who: fc.constantFrom(0 as const, 1 as const),
      does: fc.constantFrom('fail' as const, 'succeed' as const),
    }),
    fc.record({ passMs: fc.constantFrom(1, 1_000, 30_000, recoveryMs) }),
    fc.record({
      who: fc.constantFrom(0 as const, 1 as const),
      jumpMs: fc.constantFrom(90 * minuteMs, -90 * minuteMs, -25_000, 25_000),
    }),
  ),
  { maxLength: 30 },
);

/** The states both processes see after each step. */
async function told(script: Step[], jumps: boolean): Promise<string[][]> {
  const shared = memoryShared(manualClock());
  const peers = [await peerOn(shared), await peerOn(shared)];
  const seen = [];
  for (const step of script) {
    if ('passMs' in step) for (const { clock } of peers) clock.advance(step.passMs);
    else if ('does' in step) (step.does === 'fail' ? failures : successes)(peers[step.who]!);
    else if (jumps) peers[step.who]!.clock.jump(step.jumpMs);
    await Promise.resolve();
    seen.push(peers.map(({ breaker }) => `${breaker.state(key)} ${breaker.opensAgainInMs(key)}`));
  }
  await shared.close();
  return seen;
}

test('property: clock jumps never keep a circuit open longer', () =>
  fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const [jumped, steady] = [await told(script, true), await told(script, false)];
      for (const [i, seen] of jumped.entries())
        for (const [who, one] of seen.entries()) {
          const openMs = (text: string) => Number(text.split(' ')[1]);
          expect(openMs(one)).toBeLessThanOrEqual(openMs(steady[i]![who]!));
        }
    }),
    { numRuns: 200 },
  ));
