import { describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { candidateOf, chooseOf } from './candidate.fixture.ts';
import { choose } from './choose.ts';
import { engines } from './db.fixture.ts';
import type { Decision } from './decision.ts';
import { openDecisionLog } from './decisions.ts';
import { explain, readAttempts, readSummaries } from './explain.ts';
import type { RankRequest } from './rank.ts';
import { listDecisions } from './store/decisions.ts';

const candidates = [candidateOf(1), candidateOf(2)];
const decisionOf = (fields: Partial<Decision> = {}): Decision => ({
  requestId: 'req_1',
  userId: 1,
  modelId: 'acme/large',
  choice: choose(chooseOf(candidates)),
  sort: null,
  attempts: [{ candidate: candidates[0]!, outcome: 'success', latencyMs: 12 }],
  skipped: [],
  startedAtMs: 1_700_000_000_000,
  tookMs: 12,
  ...fields,
});

describe.each(await engines())('%s', (_, open) => {
  test('written in batches, read newest first by user, request and model', async () => {
    const { db, close } = await open();
    const log = openDecisionLog({ db, clock: manualClock(), keepDays: () => 30 });
    for (let i = 0; i < 130; i++) {
      log.add(decisionOf({ requestId: `req_${i}`, userId: i % 2, modelId: i < 3 ? 'acme/small' : 'acme/large' }));
    }
    await log.close();
    const page = { offset: 0, limit: 2 };
    const all = await listDecisions(db, {}, page);
    expect(all.total).toBe(130);
    expect(all.rows.map((row) => row.request_id)).toEqual(['req_129', 'req_128']);
    const own = await listDecisions(db, { userId: 1, modelId: 'acme/small' }, page);
    expect(own.total).toBe(1);
    expect(own.rows[0]).toMatchObject({ request_id: 'req_1', duration_ms: 12, outcome: 'success', provider: 'p1' });
    expect((await listDecisions(db, { userId: 0, requestId: 'req_1' }, page)).total).toBe(0);
    await close();
  });

  test('shared parts of decisions are stored once and returned with each decision', async () => {
    const { db, close } = await open();
    const clock = manualClock();
    const log = openDecisionLog({ db, clock, keepDays: () => 30 });
    const alike = { choice: choose(chooseOf([candidates[0]!])) };
    const answered = { candidate: candidates[0]!, outcome: 'success' as const, latencyMs: 12.4 };
    const choicesWritten = () => db.selectFrom('routing_choices').select('id').execute();
    log.add(decisionOf({ ...alike, requestId: 'a', attempts: [answered] }));
    log.add(decisionOf({ ...alike, requestId: 'b', attempts: [{ ...answered, latencyMs: 7, ttftMs: 3.2 }] }));
    await log.flush();
    log.add(decisionOf({ ...alike, requestId: 'c', attempts: [answered] }));
    await log.flush();
    expect(await choicesWritten()).toHaveLength(1);
    // Each of these differs from the shared choice.
    const failed = { ...answered, outcome: 'failure' as const, cause: 'timeout' as const };
    log.add(decisionOf({ ...alike, requestId: 'd', attempts: [failed] }));
    const scored = alike.choice.scored.map((one) => ({ ...one, circuit: 'half_open' as const }));
    log.add(decisionOf({ choice: { ...alike.choice, scored }, requestId: 'e', attempts: [answered] }));
    await log.flush();
    expect(await choicesWritten()).toHaveLength(2);
    const { rows } = await listDecisions(db, {}, { offset: 0, limit: 10 });
    const told = rows.reverse().map((row) => ({
      reason: row.reason,
      candidates: readSummaries(row.candidates),
      attempts: readAttempts(row),
    }));
    const attempt = { provider: 'p1', channel_id: 1, outcome: 'success', cause: null, status: null };
    expect(told[0]).toEqual({
      reason: 'p1 is the only provider left',
      candidates: [expect.objectContaining({ provider: 'p1', rank: 1, circuit_state: 'closed' })],
      attempts: [{ ...attempt, latency_ms: 12, ttft_ms: null }],
    });
    expect(told[1]).toEqual({ ...told[0]!, attempts: [{ ...attempt, latency_ms: 7, ttft_ms: 3 }] });
    expect(told[2]).toEqual(told[0]!);
    expect(told[3]!.reason).toBe('p1 is the only provider left; p1 did not answer (timeout)');
    expect(told[4]!.candidates).toEqual([expect.objectContaining({ circuit_state: 'half_open' })]);
    expect(rows.map((row) => row.strategy)).toEqual(Array(5).fill('balanced'));
    // Not reused forever, or it would be swept while decisions still refer to it.
    clock.advance(3_601_000);
    log.add(decisionOf({ ...alike, attempts: [answered], startedAtMs: clock.nowMs() }));
    await log.flush();
    expect(await choicesWritten()).toHaveLength(3);
    clock.advance(30 * 86_400_000 + 3_600_000);
    await log.sweep();
    expect(await choicesWritten()).toHaveLength(1);
    await log.close();
    await close();
  });

  test('many decisions, alike and not, are written as they are and in order', async () => {
    const { db, close } = await open();
    const log = openDecisionLog({ db, clock: manualClock(), keepDays: () => 30 });
    const alike = { choice: choose(chooseOf([candidates[0]!])) };
    const failed = [
      { candidate: candidates[0]!, outcome: 'failure' as const, cause: 'timeout' as const, latencyMs: 5 },
    ];
    const decided = Array.from({ length: 500 }, (_, i) => ({
      ...{ ...alike, requestId: `req_${i}`, tookMs: i },
      ...(i % 9 === 0 && { attempts: failed }),
      ...(i % 7 === 0 && { parentRequestId: `run_${i}` }),
    }));
    for (const one of decided) log.add(decisionOf(one));
    await log.close();
    const { rows } = await listDecisions(db, {}, { offset: 0, limit: 500 });
    const latencies = (attempts: string) => (JSON.parse(attempts) as { latency_ms: number }[]).map((a) => a.latency_ms);
    const read = rows.reverse().map((row) => ({
      ...{ id: row.request_id, took: Number(row.duration_ms), outcome: row.outcome, parent: row.parent_request_id },
      ...{ strategy: row.strategy, channel: Number(row.channel_id), attempts: latencies(row.attempts) },
    }));
    expect(read).toEqual(
      decided.map(({ requestId, tookMs, ...more }) => ({
        ...{ id: requestId, took: tookMs, outcome: 'attempts' in more ? 'failure' : 'success' },
        ...{ parent: 'parentRequestId' in more ? more.parentRequestId! : null, strategy: 'balanced', channel: 1 },
        attempts: ['attempts' in more ? 5 : 12],
      })),
    );
    await close();
  });

  test('decisions are kept for DecisionLogDays and swept in batches', async () => {
    const { db, close } = await open();
    const clock = manualClock();
    const log = openDecisionLog({ db, clock, keepDays: () => 30 });
    const day = 86_400_000;
    for (let i = 0; i < 1203; i++) log.add(decisionOf({ startedAtMs: clock.nowMs() - (i < 1200 ? 31 : 29) * day }));
    await log.flush();
    await log.sweep();
    expect((await listDecisions(db, {}, { offset: 0, limit: 100 })).total).toBe(3);
    await log.close();
    await close();
  });

  test('waits while the database is away, and drops the oldest entries beyond its limit', async () => {
    const { db, close } = await open();
    const errors: unknown[] = [];
    const log = openDecisionLog({ db, clock: manualClock(), keepDays: () => 30, onError: (e) => errors.push(e) });
    await db.schema.alterTable('routing_decisions').renameTo('away').execute();
    for (let i = 0; i < 10; i++) log.add(decisionOf());
    await log.flush();
    expect(errors).toHaveLength(1);
    await db.schema.alterTable('away').renameTo('routing_decisions').execute();
    await log.flush();
    expect((await listDecisions(db, {}, { offset: 0, limit: 1 })).total).toBe(10);
    const one = decisionOf();
    // One insert is in flight while the rest waits, so a few more than the bound are kept.
    for (let i = 0; i < 6500; i++) log.add(one);
    expect(log.lost).toBeGreaterThanOrEqual(1000);
    await log.close();
    await close();
  });
});

describe('explain', () => {
  const [a, b] = candidates as [(typeof candidates)[0], (typeof candidates)[0]];

  test('no provider could be called', () => {
    const text = explain(decisionOf({ attempts: [], skipped: [a, b] }));
    expect(text).toContain('p1 skipped: circuit open; p2 skipped: circuit open; no provider could be called');
  });

  test('a rate limit, then another provider answered', () => {
    const text = explain(
      decisionOf({
        attempts: [
          { candidate: a, outcome: 'neutral', cause: 'rate_limited', status: 429, latencyMs: 3 },
          { candidate: b, outcome: 'success', latencyMs: 9 },
        ],
      }),
    );
    expect(text).toBe(
      'p1 drawn from the top 2 by balanced score (0.75, chance 50 %); p1 did not answer (rate limited 429); p2 answered instead',
    );
  });

  test.each([
    [{ order: ['p2'] }, 'p2 is first in the order set by the request'],
    [{ order: ['p9', 'p2'] }, 'p2 is the first one available in the order set by the request'],
    [{ order: ['p9'] }, 'p1 is the best of the others, as none in the order set by the request is available'],
    [{ sort: 'price' as const }, 'p1 is best by price, as set by the request'],
    [{ only: ['p2'] }, 'p2 is the only provider left'],
    [{ strategy: 'round_robin' as const }, 'p1 is next of 2 in turn (round-robin)'],
  ])('%j', (override, text) => {
    const choice = choose(chooseOf(candidates, { override }));
    const attempts = [{ candidate: choice.picked, outcome: 'success' as const, latencyMs: 1 }];
    expect(explain(decisionOf({ choice, attempts, sort: 'sort' in override ? 'price' : null }))).toBe(text);
  });

  test.each<[Pick<RankRequest, 'override'> | { legacy: true }, string]>([
    [{ override: { order: ['p1', 'p2'] } }, 'p2 is the first one available in the order set by the request'],
    [
      { override: { order: ['p1'] } },
      'p2 is the best of the others, as none in the order set by the request is available',
    ],
    [{ override: { sort: 'price' as const } }, 'p2 is the best one available by price, as set by the request'],
    [{ legacy: true }, 'p2 drawn by weight from the available channels with the highest priority (0)'],
  ])('%j with a provider that is not available', (given, text) => {
    const away = candidateOf(1, { price: [0.1, 0.1], channel: { priority: 5 } });
    const circuit = (key: string) => (key === away.key ? ('open' as const) : ('closed' as const));
    const choice = choose(chooseOf([away, candidateOf(2, { price: [1, 1] })], { ...given, circuit }));
    const attempts = [{ candidate: choice.picked, outcome: 'success' as const, latencyMs: 1 }];
    expect(
      explain(decisionOf({ choice, attempts, sort: 'override' in given ? (given.override?.sort ?? null) : null })),
    ).toBe(text);
  });
});
