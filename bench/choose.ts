import { systemClock } from '../server/src/lib/clock.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { migration } from '../server/src/platform/db/migrations/0004-routing.ts';
import { decisions } from '../server/src/platform/db/migrations/0014-turns.ts';
import { keysAndNames } from '../server/src/platform/db/migrations/0034-credentials.ts';
import { openDb } from '../server/src/platform/db/open.ts';
import { candidateOf, chooseOf, measuredOf, preferencesOf } from '../server/src/routing/candidate.fixture.ts';
import { choose } from '../server/src/routing/choose.ts';
import type { Plan } from '../server/src/routing/plan.ts';
import { catalogOf, requestOf, routingWith, success } from '../server/src/routing/routing.fixture.ts';

/** Cost of one choice between 20 candidates with preferences, and of routing as a whole. Run: bun bench/choose.ts */
const candidates = Array.from({ length: 20 }, (_, i) =>
  candidateOf(i + 1, { price: [i % 7, (i * 3) % 40], channel: { provider: `p${i % 8}`, priority: i } }),
);
const measured = new Map(
  candidates.map((one, i) => [one.key, measuredOf({ samples: 50, latencyMs: 300 + i * 90, successRate: 1 - i / 200 })]),
);
const preferences = preferencesOf({
  preferredProviders: ['p2'],
  blockedProviders: ['p5'],
  maxPrice: 60,
  maxLatencyMs: 1500,
});
const request = chooseOf(candidates, {
  measured: (one) => measured.get(one.key)!,
  preferences,
  random: Math.random,
});

const perBatch = 2000;
const batches = 50;

function print(name: string, limit: string, run: () => void): void {
  const samples: number[] = [];
  for (let i = 0; i < perBatch * 10; i++) run();
  for (let batch = 0; batch < batches; batch++) {
    const start = Bun.nanoseconds();
    for (let i = 0; i < perBatch; i++) run();
    samples.push((Bun.nanoseconds() - start) / perBatch / 1000);
  }
  samples.sort((a, b) => a - b);
  const [median, slowest] = [samples[batches / 2]!, samples[batches - 1]!];
  console.log(`${name}: median ${median.toFixed(2)} µs, slowest batch ${slowest.toFixed(2)} µs${limit}`);
}

print('choose among 20', ' (limit 20)', () => choose(request));

const { db, close } = await openDb({ path: ':memory:' });
await migrate(db, [migration, decisions, keysAndNames]);
const { routing } = await routingWith(db, { clock: systemClock, catalog: catalogOf(candidates), random: Math.random });
await routing.parts.preferences.update(7, preferences);
await routing.parts.preferences.get(7);
const answer = success({ ttftMs: 20 });
const asked = requestOf();
print('plan, permit, report and decision', '', () => {
  const plan = routing.plan(asked) as Plan;
  plan.next()!.report(answer);
  plan.close();
});
await routing.stop();
await close();
