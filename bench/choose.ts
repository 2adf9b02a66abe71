import { candidateOf, chooseOf, measuredOf, preferencesOf } from '../server/src/routing/candidate.fixture.ts';
import { choose } from '../server/src/routing/choose.ts';

/** Cost of one choice among 20 candidates, with preferences in play. Run: bun bench/choose.ts */
const candidates = Array.from({ length: 20 }, (_, i) =>
  candidateOf(i + 1, { price: [i % 7, (i * 3) % 40], channel: { provider: `p${i % 8}`, priority: i } }),
);
const measured = new Map(
  candidates.map((one, i) => [one.key, measuredOf({ samples: 50, latencyMs: 300 + i * 90, successRate: 1 - i / 200 })]),
);
const request = chooseOf(candidates, {
  measured: (one) => measured.get(one.key)!,
  preferences: preferencesOf({
    preferredProviders: ['p2'],
    blockedProviders: ['p5'],
    maxPrice: 60,
    maxLatencyMs: 1500,
  }),
  random: Math.random,
});

const rounds = 20_000;
const samples: number[] = [];
for (let i = 0; i < rounds; i++) choose(request);
for (let batch = 0; batch < 50; batch++) {
  const start = Bun.nanoseconds();
  for (let i = 0; i < rounds / 10; i++) choose(request);
  samples.push((Bun.nanoseconds() - start) / (rounds / 10) / 1000);
}
samples.sort((a, b) => a - b);
console.log(
  `choose among 20: median ${samples[25]!.toFixed(2)} µs, slowest batch ${samples[49]!.toFixed(2)} µs (limit 20)`,
);
