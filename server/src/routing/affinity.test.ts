import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { openShared } from '../platform/shared/open.ts';
import type { Shared } from '../platform/shared/port.ts';
import { type RedisServer, startRedis } from '../platform/shared/redis-server.fixture.ts';
import { openAffinity } from './affinity.ts';
import { candidateOf } from './candidate.fixture.ts';
import type { Credential } from './candidate.ts';
import { inMemory } from './db.fixture.ts';
import type { Report } from './plan.ts';
import { catalogOf, failure, requestOf, routingWith, success } from './routing.fixture.ts';
import type { PlanRequest, Routing } from './routing.ts';

const credential = (id: number): Credential => ({ id, secret: `sk-${id}`, weight: 1, first: id === 1, limits: null });
const withKeys = (id: number, ids: number[], priority = 0) =>
  candidateOf(id, { channel: { priority, credential: `sk-${ids[0]}`, credentials: ids.map(credential) } });
const named = (name: string, begun = true) => ({ begun, key: () => name });

/** Returns the secret that answered. */
async function ask(routing: Routing, fields: Partial<PlanRequest>, answer?: (secret: string) => Report) {
  const plan = await routing.plan(requestOf(fields));
  try {
    for (let attempt = plan.next(); attempt; attempt = plan.next()) {
      const { credential: secret } = attempt.candidate.channel;
      const report = answer?.(secret) ?? success();
      attempt.report(report);
      if (report.outcome === 'success') return secret;
    }
    return null;
  } finally {
    plan.close();
  }
}

async function opened(candidates: ReturnType<typeof candidateOf>[], random: () => number = Math.random) {
  const { db, close } = await inMemory();
  const made = await routingWith(db, { catalog: catalogOf(candidates), random });
  return {
    ...made,
    close: async () => {
      await made.routing.stop();
      await close();
    },
  };
}

describe('conversation affinity', () => {
  test('a conversation stays with the key that answered first, across keys and channels', async () => {
    const t = await opened([withKeys(1, [11, 12]), withKeys(2, [21, 22])]);
    const seen = new Set<string>();
    for (let c = 0; c < 60; c += 1) {
      const first = await ask(t.routing, { conversation: named(`c${c}`, false) });
      seen.add(first!);
      for (let turn = 0; turn < 3; turn += 1)
        expect(await ask(t.routing, { conversation: named(`c${c}`) })).toBe(first!);
    }
    // New conversations are still distributed.
    expect(seen.size).toBe(4);
    await t.close();
  });

  test('a new conversation is drawn at random, even if another began with the same words', async () => {
    const t = await opened([withKeys(1, [11, 12])]);
    const seen = new Set<string>();
    for (let i = 0; i < 60; i += 1) seen.add((await ask(t.routing, { conversation: named('hello', false) }))!);
    expect(seen.size).toBe(2);
    await t.close();
  });

  test('the same conversation is separate per user and per model', async () => {
    const other = candidateOf(1, { modelId: 'acme/small', channel: withKeys(1, [11, 12]).channel });
    const t = await opened([withKeys(1, [11, 12]), other]);
    const { affinity } = t.routing.parts;
    await ask(t.routing, { conversation: named('same') });
    expect(affinity.find('7|acme/large|same')).not.toBeNull();
    expect(affinity.find('8|acme/large|same')).toBeNull();
    expect(affinity.find('7|acme/small|same')).toBeNull();
    await t.close();
  });

  test('a conversation moves when the circuit of its key opens, and stays there', async () => {
    const t = await opened([withKeys(1, [11, 12])]);
    const conversation = named('long');
    const first = (await ask(t.routing, { conversation }))!;
    const second = first === 'sk-11' ? 'sk-12' : 'sk-11';
    const broken = (secret: string) => (secret === first ? failure({ cause: 'unauthorized' }) : success());
    // Other requests open its circuit; from then on the other key answers this conversation.
    for (
      let user = 20;
      user < 200 && t.routing.parts.breaker.state(`p1|acme/large|1|${first.slice(3)}`) !== 'open';
      user += 1
    )
      await ask(t.routing, { userId: user }, broken);
    expect(await ask(t.routing, { conversation })).toBe(second);
    t.clock.advance(60_000);
    // The first key has recovered, but the cache is with the second.
    for (let i = 0; i < 20; i += 1) expect(await ask(t.routing, { conversation })).toBe(second);
    await t.close();
  });

  test('an order in the request overrides the channel, but not the key within a channel', async () => {
    const t = await opened([withKeys(1, [11, 12]), withKeys(2, [21, 22])]);
    const conversation = named('ordered');
    const order = (provider: string) => ({ conversation, override: { order: [provider] } });
    const first = await ask(t.routing, order('p1'));
    for (let i = 0; i < 10; i += 1) expect(await ask(t.routing, order('p1'))).toBe(first);
    const other = await ask(t.routing, order('p2'));
    expect(['sk-21', 'sk-22']).toContain(other!);
    for (let i = 0; i < 10; i += 1) expect(await ask(t.routing, order('p2'))).toBe(other);
    await t.close();
  });

  test('round-robin ignores affinity', async () => {
    const t = await opened([withKeys(1, [11]), withKeys(2, [21])]);
    const request = { conversation: named('turns'), override: { strategy: 'round_robin' as const } };
    const answers = [];
    for (let i = 0; i < 4; i += 1) answers.push(await ask(t.routing, request));
    expect(answers).toEqual(['sk-11', 'sk-21', 'sk-11', 'sk-21']);
    await t.close();
  });

  test('nothing is remembered if there is only one key', async () => {
    const t = await opened([candidateOf(1)]);
    let asked = 0;
    const key = () => {
      asked += 1;
      return 'long';
    };
    await ask(t.routing, { conversation: { begun: true, key } });
    expect(asked).toBe(0);
    await t.close();
  });

  test('a conversation is forgotten after an hour, or when there are too many', async () => {
    const clock = manualClock();
    const affinity = await openAffinity({ clock, shared: memoryShared(clock) });
    affinity.keep('a', 'key');
    clock.advance(1_800_000);
    expect(affinity.find('a')).toBe('key');
    affinity.keep('a', 'key');
    clock.advance(3_599_999);
    expect(affinity.find('a')).toBe('key');
    clock.advance(1);
    expect(affinity.find('a')).toBeNull();
    for (let i = 0; i <= 20_000; i += 1) affinity.keep(`c${i}`, 'key');
    expect(affinity.find('c0')).toBeNull();
    expect(affinity.find('c1')).toBe('key');
    await affinity.close();
  });
});

describe('conversation affinity across processes', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** Counts what one process reads from Redis. */
  function counted(shared: Shared): { shared: Shared; reads(): number } {
    let reads = 0;
    const get: Shared['get'] = (key) => {
      reads += 1;
      return shared.get(key);
    };
    const proxy = new Proxy(shared, { get: (target, name) => (name === 'get' ? get : Reflect.get(target, name)) });
    return { shared: proxy, reads: () => reads };
  }

  const open = async (clock = manualClock(Date.now())) => {
    const real = await openShared({ redisUrl: redis.url, prefix: 'affinity-test:' }, clock);
    const { shared, reads } = counted(real);
    const affinity = await openAffinity({ clock, shared });
    return { affinity, reads, healthy: () => real.healthy(), close: () => affinity.close().then(() => real.close()) };
  };

  test('a conversation is looked up once, and a move is announced to other processes', async () => {
    const [one, other] = [await open(), await open()];
    one.affinity.keep('place', 'key-1');
    await until('stored', async () => (await other.affinity.find('place')) === 'key-1');
    const before = other.reads();
    for (let i = 0; i < 5; i += 1) expect(other.affinity.find('place')).toBe('key-1');
    expect(other.reads()).toBe(before);
    one.affinity.keep('place', 'key-2');
    await until('heard', () => other.affinity.find('place') === 'key-2');
    expect(other.reads()).toBe(before);
    expect(one.reads()).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });

  test('twenty turns over two processes use one key, with one lookup by the second process', async () => {
    const { db, close } = await inMemory();
    const clock = manualClock(Date.now());
    const catalog = catalogOf([withKeys(1, [11, 12]), withKeys(2, [21, 22])]);
    const processes = await Promise.all(
      [1, 2].map(async () => {
        const real = await openShared({ redisUrl: redis.url, prefix: 'affinity-turns:' }, clock);
        const { shared, reads } = counted(real);
        const { routing } = await routingWith(db, { clock, shared, catalog, random: Math.random });
        return { routing, shared, reads, close: () => routing.stop().then(() => real.close()) };
      }),
    );
    const [one, other] = [processes[0]!, processes[1]!];
    const first = await ask(one.routing, { conversation: named('turns', false) });
    await until('told', async () => (await one.shared.get('routing:affinity:7|acme/large|turns')) !== null);
    const before = processes.map(({ reads }) => reads());
    for (let turn = 1; turn < 20; turn += 1)
      expect(await ask([one, other][turn % 2]!.routing, { conversation: named('turns') })).toBe(first);
    expect(processes.map(({ reads }, i) => reads() - before[i]!)).toEqual([0, 1]);
    for (const process of processes) await process.close();
    await close();
  });

  test('without Redis each process continues with what it knows', async () => {
    const one = await open();
    one.affinity.keep('known', 'key-1');
    await redis.stop();
    await until('noticed', () => one.affinity.find('unknown') === null);
    expect(one.affinity.find('known')).toBe('key-1');
    one.affinity.keep('known', 'key-2');
    expect(one.affinity.find('known')).toBe('key-2');
    await redis.start();
    await until('back', one.healthy);
    await one.close();
  });
});
