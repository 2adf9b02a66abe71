import { describe, expect, test } from 'bun:test';
import { candidateOf } from './candidate.fixture.ts';
import type { Credential, CredentialLimits } from './candidate.ts';
import { credentialHealth } from './credential-health.ts';
import { engines, inMemory } from './db.fixture.ts';
import { readAttempts } from './explain.ts';
import type { Report } from './plan.ts';
import { catalogOf, failure, neutral, requestOf, routingWith, success } from './routing.fixture.ts';
import type { Routing } from './routing.ts';

const databases = await engines();

const noLimits: CredentialLimits = { requestsPerMinute: null, tokensPerMinute: null, spendPerDay: null };
const credential = (id: number, limits: Partial<CredentialLimits> | null = null): Credential => ({
  id,
  secret: `sk-${id}`,
  first: id === 11,
  weight: 1,
  limits: limits && { ...noLimits, ...limits },
});
const withKeys = (id: number, credentials: Credential[], price: [number, number] = [1, 1]) =>
  candidateOf(id, { price, channel: { credential: credentials[0]!.secret, credentials } });

const answers = (): Report => success();

/** Tries candidates until one answers; returns the secrets that were tried, in order. */
async function ask(routing: Routing, answer: (secret: string) => Report, userId = 7): Promise<string[]> {
  const plan = await routing.plan(requestOf({ userId }));
  const tried: string[] = [];
  for (let attempt = plan.next(); attempt; attempt = plan.next()) {
    const { credential: secret } = attempt.candidate.channel;
    tried.push(secret);
    const report = answer(secret);
    attempt.report(report);
    if (report.outcome === 'success') break;
  }
  plan.close();
  return tried;
}

async function opened(candidates: ReturnType<typeof candidateOf>[], random: () => number = () => 0) {
  const { db, close } = await inMemory();
  const made = await routingWith(db, { catalog: catalogOf(candidates), random });
  return {
    ...made,
    db,
    close: async () => {
      await made.routing.stop();
      await close();
    },
  };
}

describe('several credentials of a channel', () => {
  test('a failing credential opens only its own circuit', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12)])]);
    const answer = (secret: string) =>
      secret === 'sk-11' ? failure({ cause: 'unauthorized', status: 401 }) : success();
    for (let i = 0; i < 5; i += 1) expect(await ask(t.routing, answer, i)).toEqual(['sk-11', 'sk-12']);
    expect(await ask(t.routing, answer)).toEqual(['sk-12']);
    const { breaker } = t.routing.parts;
    const key = 'p1|acme/large|1';
    expect([breaker.state(`${key}|11`), breaker.state(`${key}|12`), breaker.state(key)]).toEqual([
      'open',
      'closed',
      'closed',
    ]);
    const health = await credentialHealth(t.routing.parts);
    expect(health.get(11)).toMatchObject({ circuits: { open: 1 }, today: { requests: 5, failures: 5 } });
    expect(health.get(12)).toMatchObject({ circuits: { closed: 1 }, today: { requests: 6, failures: 0 } });
    await t.close();
  });

  test('a credential recovers through a test request, like any candidate', async () => {
    let drawn = 0;
    const t = await opened([withKeys(1, [credential(11), credential(12)])], () => drawn);
    const broken = (secret: string) => (secret === 'sk-11' ? failure({ cause: 'unauthorized' }) : success());
    for (let i = 0; i < 5; i += 1) await ask(t.routing, broken, i);
    t.clock.advance(60_000);
    drawn = 0.5;
    expect(await ask(t.routing, answers)).toEqual(['sk-12']);
    drawn = 0.05;
    for (let i = 0; i < 3; i += 1) expect(await ask(t.routing, answers)).toEqual(['sk-11']);
    expect(t.routing.parts.breaker.state('p1|acme/large|1|11')).toBe('closed');
    await t.close();
  });

  test('if all circuits are open, the channel counts as open and ranks behind others', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12)]), withKeys(2, [credential(21)], [5, 5])]);
    const answer = (secret: string) => (secret.startsWith('sk-1') ? failure({ cause: 'unauthorized' }) : success());
    for (let i = 0; i < 5; i += 1) await ask(t.routing, answer, i);
    expect(await ask(t.routing, answer)).toEqual(['sk-21']);
    const standing = await t.routing.standing(7, null);
    const candidates = await t.routing.parts.deps.catalog.allCandidates();
    expect(standing(candidates).map(({ circuit }) => circuit)).toEqual(['open', 'closed']);
    await t.close();
  });

  test('failures not caused by the key try another channel first, and its other keys last', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12)]), withKeys(2, [credential(21)], [5, 5])]);
    const down = failure({ cause: 'server_error', status: 500 });
    expect(await ask(t.routing, () => down)).toEqual(['sk-11', 'sk-21', 'sk-12']);
    const busy = neutral({ cause: 'rate_limited', status: 429 });
    expect(await ask(t.routing, () => busy)).toEqual(['sk-11', 'sk-12', 'sk-21']);
    const refused = neutral({ cause: 'refused', status: 400 });
    expect(await ask(t.routing, () => refused)).toEqual(['sk-11', 'sk-21']);
    await t.close();
  });

  test('a rate-limited credential comes after the others until its retry time', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12)])]);
    const busy = (retryAfterMs?: number) => (secret: string) =>
      secret === 'sk-11' ? neutral({ cause: 'rate_limited', status: 429, retryAfterMs }) : success();
    expect(await ask(t.routing, busy(20_000))).toEqual(['sk-11', 'sk-12']);
    t.clock.advance(19_999);
    expect(await ask(t.routing, answers)).toEqual(['sk-12']);
    t.clock.advance(1);
    expect(await ask(t.routing, busy())).toEqual(['sk-11', 'sk-12']);
    t.clock.advance(5_000);
    expect(await ask(t.routing, busy(86_400_000))).toEqual(['sk-11', 'sk-12']);
    t.clock.advance(60_000);
    expect(await ask(t.routing, answers)).toEqual(['sk-11']);
    await t.close();
  });

  test('the decision log names the credential, but never its secret', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12)])]);
    await ask(t.routing, (secret) => (secret === 'sk-11' ? failure({ cause: 'unauthorized' }) : success()));
    await ask(t.routing, answers);
    await t.routing.parts.decisions.flush();
    const rows = await t.db.selectFrom('routing_decisions').selectAll().orderBy('id').execute();
    const tried = rows.map((row) => readAttempts(row).map((one) => (one as { credential_id?: number }).credential_id));
    expect(tried).toEqual([[11, 12], [11]]);
    const choices = await t.db.selectFrom('routing_choices').selectAll().execute();
    expect(JSON.stringify([rows, choices])).not.toContain('sk-1');
    await t.close();
  });

  test('credentials are drawn by weight', async () => {
    const heavy = { ...credential(12), weight: 3 };
    const t = await opened([withKeys(1, [credential(11), heavy])], Math.random);
    let second = 0;
    for (let i = 0; i < 400; i += 1) if ((await ask(t.routing, answers))[0] === 'sk-12') second += 1;
    expect(second).toBeGreaterThan(240);
    expect(second).toBeLessThan(360);
    await t.close();
  });

  test('metrics are kept per channel, and videos use only its first key', async () => {
    const keys = [credential(11), credential(12)];
    const video = candidateOf(2, { type: 'video', channel: { credential: 'sk-11', credentials: keys } });
    const t = await opened([withKeys(1, keys), video]);
    await ask(t.routing, answers);
    await t.routing.cycle();
    expect(t.routing.parts.metrics.snapshot('p1|acme/large|1')?.totalRequests).toBe(1);
    const plan = await t.routing.plan(requestOf({ type: 'video' }));
    const only = { key: video.key, channel: { credential: 'sk-11' }, via: { base: video, credential: { id: 11 } } };
    expect(plan.next()!.candidate).toMatchObject(only);
    expect(plan.next()).toBeNull();
    plan.close();
    await t.close();
  });
});

describe('limits of a credential', () => {
  test('requests per minute: the next credential takes over; 429 with the time to wait if none is left', async () => {
    const limits = { requestsPerMinute: 2 };
    const t = await opened([withKeys(1, [credential(11, limits), credential(12, limits)])]);
    const tried = [];
    for (let i = 0; i < 4; i += 1) tried.push(...(await ask(t.routing, answers)));
    expect(tried).toEqual(['sk-11', 'sk-11', 'sk-12', 'sk-12']);
    const plan = await t.routing.plan(requestOf());
    expect(plan.next()).toBeNull();
    expect(plan.failure()).toMatchObject({ code: 'capacity_exhausted' });
    const wait = Number(plan.failure().extras.headers!['retry-after-ms']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60_000);
    plan.close();
    t.clock.advance(wait);
    expect(await ask(t.routing, answers)).toEqual(['sk-11']);
    await t.close();
  });

  test('requests per minute also apply to credentials tried second', async () => {
    const t = await opened([withKeys(1, [credential(11), credential(12, { requestsPerMinute: 1 })])]);
    const plans = [await t.routing.plan(requestOf()), await t.routing.plan(requestOf())];
    const next = () => plans.map((plan) => plan.next());
    for (const attempt of next()) attempt!.report(failure({ cause: 'unauthorized' }));
    expect(next().map((attempt) => attempt?.candidate.channel.credential)).toEqual(['sk-12', undefined]);
    for (const plan of plans) plan.close();
    await t.close();
  });

  test('tokens per minute apply to a single credential', async () => {
    const t = await opened([withKeys(1, [credential(11, { tokensPerMinute: 20 })])]);
    expect(await ask(t.routing, () => success({ promptTokens: 15, completionTokens: 5 }))).toEqual(['sk-11']);
    expect(await ask(t.routing, answers)).toEqual([]);
    expect((await credentialHealth(t.routing.parts)).get(11)).toMatchObject({ atLimit: true, today: { tokens: 20 } });
    t.clock.advance(60_000);
    expect(await ask(t.routing, answers)).toEqual(['sk-11']);
    await t.close();
  });

  describe.each([
    ['tokens per minute', { tokensPerMinute: 1_000 }],
    // 1 USD per million tokens is half a quota unit per token.
    ['money per day', { spendPerDay: 500 }],
  ])('%s include requests in progress', (_, limits) => {
    /** Estimated as 300 prompt tokens and 100 completion tokens. */
    const expectation = { most: () => ({ promptTokens: 1_200, completionTokens: 100 }) };
    const small = () => success({ promptTokens: 3, completionTokens: 1 });
    const burst = async (routing: Routing, requests: number) => {
      const plans = [];
      for (let i = 0; i < requests; i += 1) plans.push(await routing.plan(requestOf({ expectation })));
      return plans.map((plan) => ({ plan, attempt: plan.next() }));
    };
    const secrets = (asked: Awaited<ReturnType<typeof burst>>) =>
      asked.map(({ attempt }) => attempt?.candidate.channel.credential);

    test('a burst exceeds a limit by at most one request, and unused tokens are returned', async () => {
      const t = await opened([withKeys(1, [credential(11, limits)])]);
      const first = await burst(t.routing, 5);
      expect(secrets(first)).toEqual(['sk-11', 'sk-11', 'sk-11', undefined, undefined]);
      expect(first[3]!.plan.failure()).toMatchObject({ code: 'capacity_exhausted' });
      for (const { attempt } of first) attempt?.report(small());
      const second = await burst(t.routing, 4);
      expect(secrets(second)).toEqual(['sk-11', 'sk-11', 'sk-11', undefined]);
      expect(t.routing.parts.meter.today(11)).toMatchObject({ tokens: 12, spent: 6 });
      for (const { plan } of [...first, ...second]) plan.close();
      await t.close();
    });

    test('reservations of requests that never report are released', async () => {
      const t = await opened([withKeys(1, [credential(11, limits)])]);
      for (let i = 0; i < 5; i += 1) {
        const asked = await burst(t.routing, 1);
        expect(secrets(asked)).toEqual(['sk-11']);
        for (const { plan } of asked) plan.close();
      }
      await t.close();
    });
  });

  test('an answer that ends in a later minute counts in the minute it began in', async () => {
    const t = await opened([withKeys(1, [credential(11, { tokensPerMinute: 500 })])]);
    const expectation = { most: () => ({ promptTokens: 400, completionTokens: 400 }) };
    const plan = await t.routing.plan(requestOf({ expectation }));
    const attempt = plan.next()!;
    expect(await ask(t.routing, () => success({ promptTokens: 1, completionTokens: 1 }))).toEqual([]);
    t.clock.advance(60_000);
    attempt.report(success({ promptTokens: 100, completionTokens: 300 }));
    expect(await ask(t.routing, () => success({ promptTokens: 0, completionTokens: 499 }))).toEqual(['sk-11']);
    expect(await ask(t.routing, answers)).toEqual(['sk-11']);
    expect(await ask(t.routing, answers)).toEqual([]);
    plan.close();
    await t.close();
  });

  for (const [name, open] of databases)
    test(`daily spend survives a restart and is summed over all processes (${name})`, async () => {
      const { db, close } = await open();
      // 1 USD per million tokens is half a quota unit per token.
      const catalog = catalogOf([withKeys(1, [credential(11, { spendPerDay: 100 }), credential(12)])]);
      const [one, other] = [await routingWith(db, { catalog }), await routingWith(db, { catalog })];
      const dear = () => success({ promptTokens: 100, completionTokens: 20 });
      expect(await ask(one.routing, dear)).toEqual(['sk-11']);
      expect(await ask(other.routing, dear)).toEqual(['sk-11']);
      await one.routing.cycle();
      await other.routing.cycle();
      await one.routing.cycle();
      expect(one.routing.parts.meter.today(11)).toEqual({ requests: 2, failures: 0, tokens: 240, spent: 120 });
      expect(await ask(one.routing, dear)).toEqual(['sk-12']);
      expect(await ask(other.routing, dear)).toEqual(['sk-12']);
      await one.routing.stop();
      await other.routing.stop();
      const again = await routingWith(db, { catalog });
      expect(await ask(again.routing, dear)).toEqual(['sk-12']);
      again.clock.advance(86_400_000);
      expect(await ask(again.routing, dear)).toEqual(['sk-11']);
      await again.routing.stop();
      await close();
    });
});
