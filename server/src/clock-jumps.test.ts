import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';
import { engines, silent, type TestDb } from './billing/engines.fixture.ts';
import { manualClock, systemClock } from './lib/clock.ts';
import { until } from './lib/until.fixture.ts';
import { openDatabaseClock } from './platform/db/database-clock.ts';
import { type Claim, JobStore } from './platform/durable/job-store.ts';
import { alwaysReliable } from './platform/shared/cache-sync.fixture.ts';
import { CachedLookup } from './platform/shared/cached-lookup.ts';
import { memoryShared } from './platform/shared/memory.ts';

const minuteMs = 60_000;

/** What is done to a clock before something happens, and after it. */
const jumps: [string, before: number, after: number][] = [
  ['is ahead by 90 minutes and then right', 90 * minuteMs, -90 * minuteMs],
  ['is right and then ahead by 90 minutes', 0, 90 * minuteMs],
  ['is 25 seconds behind', -25_000, 0],
];

describe.each(jumps)('a clock that %s', (_, before, after) => {
  test('blocks no one from a rate limit for longer than its window', async () => {
    const clock = manualClock();
    const shared = memoryShared(clock);
    clock.jump(before);
    shared.hit('caller', 1, minuteMs);
    expect(shared.hit('caller', 1, minuteMs).allowed).toBe(false);
    clock.jump(after);
    clock.advance(minuteMs - 1);
    const { allowed, resetMs } = shared.hit('caller', 1, minuteMs);
    expect([allowed, resetMs]).toEqual([false, 1]);
    clock.advance(1);
    expect(shared.hit('caller', 1, minuteMs).allowed).toBe(true);
    await shared.close();
  });

  test('does not extend the life of cached values', async () => {
    const clock = manualClock();
    let reads = 0;
    const load = async () => {
      reads += 1;
      return { reads };
    };
    const lookup = new CachedLookup({ load, tagsOf: () => [], max: 10, clock, cacheSync: alwaysReliable });
    clock.jump(before);
    await lookup.get('key');
    clock.jump(after);
    clock.advance(minuteMs - 1);
    expect(await lookup.get('key')).toEqual({ reads: 1 });
    clock.advance(1);
    expect(await lookup.get('key')).toEqual({ reads: 2 });
  });

  describe('in a whole process', () => {
    const clock = manualClock(Date.now());
    let service: TestApp;
    let member: Member;
    beforeAll(async () => {
      service = await openTestApp({ clock, env: { DEMO_PROVIDER: 'on' } });
      clock.jump(before);
      member = await service.user();
      clock.jump(after);
    });
    afterAll(() => service.close());

    test('ends no session', async () => {
      expect((await member.call('/api/user/self')).status).toBe(200);
    });

    test('keeps an idempotent action done once, with its response available', async () => {
      const make = () =>
        member.call('/api/tokens', {
          method: 'POST',
          body: { name: 'once' },
          headers: { 'idempotency-key': 'the same' },
        });
      clock.jump(before);
      const first = await (await make()).text();
      clock.jump(after);
      expect(await (await make()).text()).toBe(first);
      clock.jump(-before - after);
    });

    test('interrupts no running answer and opens no circuit', async () => {
      const authorization = `Bearer ${await member.key()}`;
      const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
      const ask = () => service.call('/v1/chat/completions', { method: 'POST', body, headers: { authorization } });
      clock.jump(before);
      const asked = Array.from({ length: 8 }, ask);
      clock.jump(after);
      for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
      expect((await ask()).status).toBe(200);
    });
  });
});

describe.each(engines.filter(({ name }) => name === 'postgres'))('two machines on $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  test.each([
    ['90 minutes ahead', 90 * minuteMs],
    ['25 seconds behind', -25_000],
  ])('with one %s agree on what is due', async (_, wrongMs) => {
    const storeOf = async (aheadMs: number) => {
      const machine = { ...systemClock, nowMs: () => Date.now() + aheadMs };
      const clock = await openDatabaseClock({ db: open.db, clock: machine, log: silent });
      return { store: new JobStore(open.db, clock), close: () => clock.close() };
    };
    const [wrong, right] = [await storeOf(wrongMs), await storeOf(0)];
    const job = { queue: 'q', data: null, delayMs: 0, key: null, maxAttempts: 3, backoffMs: 1_000 };
    /** The clocks agree to within the time of a question and its answer. */
    const claimedBy = async ({ store }: typeof right): Promise<Claim[]> => {
      let claims: Claim[] = [];
      await until('something is due', async () => {
        claims = await store.claim('q', 10, 'me');
        return claims.length > 0;
      });
      return claims;
    };
    const idsOf = (claims: Claim[]) => claims.map(({ id }) => String(id));
    for (const [one, other] of [
      [wrong, right],
      [right, wrong],
    ] as const) {
      await one.store.add({ ...job, delayMs: 30 * minuteMs });
      const id = await one.store.add(job);
      const first = await claimedBy(other);
      expect(idsOf(first)).toEqual([id!]);
      await other.store.again(first[0]!, 0);
      const second = await claimedBy(one);
      expect(idsOf(second)).toEqual([id!]);
      await one.store.finish(second[0]!);
    }
    for (const { close } of [wrong, right]) close();
  });
});
