import { describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { candidateOf } from './candidate.fixture.ts';
import { engines } from './db.fixture.ts';
import { openMetrics } from './metrics.ts';
import type { Sample } from './window.ts';

const candidate = candidateOf(1, { qualityScore: 0.8 });
const good = (fields: Partial<Sample> = {}): Sample => ({
  outcome: 'success',
  latencyMs: 400,
  promptTokens: 10,
  completionTokens: 20,
  wellFormed: true,
  nonEmpty: true,
  ...fields,
});

describe.each(await engines())('%s', (_, open) => {
  test('returns defaults before anything is measured; counts only after aggregation', async () => {
    const { db, close } = await open();
    const metrics = await openMetrics({ db, clock: manualClock() });
    const unmeasured = { samples: 0, successRate: 1, latencyMs: 1000, qualityScore: 0.8, throughput: null };
    expect(metrics.measured(candidate)).toEqual(unmeasured);
    metrics.record(candidate, good());
    metrics.record(candidate, good({ outcome: 'failure', wellFormed: false, nonEmpty: false, completionTokens: 0 }));
    expect(metrics.measured(candidate)).toEqual(unmeasured);
    await metrics.aggregate();
    // Cycle quality 0.25 + 0.15 + 0.2 = 0.6; 0.8 + 0.3 * (0.6 - 0.8) = 0.74.
    expect(metrics.measured(candidate)).toMatchObject({ samples: 2, successRate: 0.5, latencyMs: 400 });
    expect(metrics.measured(candidate).qualityScore).toBeCloseTo(0.74, 12);
    expect(metrics.snapshot(candidate.key)).toMatchObject({
      totalRequests: 2,
      promptTokens: 20,
      completionTokens: 20,
    });
    await close();
  });

  test('snapshots include counts since the last aggregation, routing uses only the aggregation', async () => {
    const { db, close } = await open();
    const clock = manualClock();
    const metrics = await openMetrics({ db, clock });
    expect([metrics.snapshot(candidate.key), [...metrics.snapshots()]]).toEqual([null, []]);
    metrics.record(candidate, good());
    const first = { samples: 1, successRate: 1, latencyMs: 400, totalRequests: 1, promptTokens: 10 };
    expect(metrics.snapshot(candidate.key)).toMatchObject(first);
    expect([...metrics.snapshots()]).toMatchObject([first]);
    expect(metrics.measured(candidate).samples).toBe(0);
    const aggregated = metrics.aggregate();
    expect(metrics.snapshot(candidate.key)).toMatchObject({ samples: 1, totalRequests: 1 });
    await aggregated;
    expect(metrics.snapshot(candidate.key)).toMatchObject(first);
    clock.advance(1_000);
    metrics.record(candidate, good({ outcome: 'failure' }));
    expect(metrics.snapshot(candidate.key)).toMatchObject({ samples: 2, successRate: 0.5, totalRequests: 2 });
    expect(metrics.measured(candidate)).toMatchObject({ samples: 1, successRate: 1 });
    await close();
  });

  test('a restart restores the last hour and the totals', async () => {
    const { db, close } = await open();
    const clock = manualClock();
    const before = await openMetrics({ db, clock });
    for (let i = 0; i < 6; i++) before.record(candidate, good({ latencyMs: 700 }));
    await before.aggregate();
    await before.aggregate();
    clock.advance(120_000);
    const after = await openMetrics({ db, clock });
    expect(after.measured(candidate)).toMatchObject({ samples: 6, latencyMs: 700 });
    after.record(candidate, good({ latencyMs: 1400 }));
    await after.aggregate();
    expect(after.snapshot(candidate.key)).toMatchObject({ samples: 7, latencyMs: 800, totalRequests: 7 });
    clock.advance(3_700_000);
    await after.aggregate();
    expect(after.snapshot(candidate.key)).toMatchObject({ samples: 0, latencyMs: 1000, totalRequests: 7 });
    expect(await db.selectFrom('routing_metric_shares').selectAll().execute()).toEqual([]);
    await close();
  });

  test('two processes see each other’s samples', async () => {
    const { db, close } = await open();
    const clock = manualClock();
    const [a, b] = [await openMetrics({ db, clock }), await openMetrics({ db, clock })];
    for (let i = 0; i < 3; i++) a.record(candidate, good({ latencyMs: 100 }));
    b.record(candidate, good({ latencyMs: 500 }));
    await Promise.all([a.aggregate(), b.aggregate()]);
    await Promise.all([a.aggregate(), b.aggregate()]);
    for (const metrics of [a, b]) {
      expect(metrics.snapshot(candidate.key)).toMatchObject({ samples: 4, latencyMs: 200, totalRequests: 4 });
    }
    await close();
  });

  test('nothing is lost while the database is away', async () => {
    const { db, close } = await open();
    const errors: unknown[] = [];
    const metrics = await openMetrics({ db, clock: manualClock(), onError: (error) => errors.push(error) });
    await db.schema.alterTable('routing_metric_totals').renameTo('away').execute();
    metrics.record(candidate, good());
    await metrics.aggregate();
    expect(errors.length).toBeGreaterThan(0);
    expect(metrics.measured(candidate).samples).toBe(1);
    await db.schema.alterTable('away').renameTo('routing_metric_totals').execute();
    metrics.record(candidate, good());
    await metrics.aggregate();
    expect(metrics.snapshot(candidate.key)).toMatchObject({ samples: 2, totalRequests: 2, promptTokens: 20 });
    await close();
  });
});
