/**
 * Valid and broken requests to every endpoint, with and without credentials: no 5xx, no hang, no secret in an answer.
 * `SVC_FUZZ_SEED=n` chooses other requests, `SVC_FUZZ_ONLY=index,…` repeats some of them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Service, startService } from '../service.ts';
import { type Finding, fuzz } from './run.ts';

const seed = Number(process.env.SVC_FUZZ_SEED ?? 20_260_701);
const count = Number(process.env.SVC_FUZZ_REQUESTS ?? (process.env.SVC_LONG ? 200_000 : 20_000));
const only = process.env.SVC_FUZZ_ONLY?.split(',').map(Number);

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error' } });
});
afterAll(() => service?.stop());

test(`${count} requests from seed ${seed}`, async () => {
  const started = performance.now();
  const seen = await fuzz(service, seed, only ?? Array.from({ length: count }, (_, index) => index));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `fuzz: ${seen.requests} requests from seed ${seed} in ${seconds.toFixed(1)} s; ${seen.reached} of ${seen.endpoints} ` +
      `endpoints answered with success; statuses ${JSON.stringify(seen.statuses)}`,
  );
  if (seen.findings.length > 0) console.log(report(seen.findings), service.output().slice(-6_000));
  expect(seen.findings).toHaveLength(0);
  // Most endpoints must have been reached beyond their guards, or the run proves little.
  if (!only) expect(seen.reached).toBeGreaterThan(seen.endpoints * 0.7);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
}, 1_800_000);

/** The first few of each kind. */
function report(findings: Finding[]): string {
  const kinds = new Map<string, Finding[]>();
  for (const finding of findings) {
    const kind = `${finding.what} ${
      finding.request
        .split('?')[0]!
        .replace(/\/[^/ ]{1,200}(?= as )/, '/…')
        .split(',')[0]
    }`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  return [...kinds]
    .map(([kind, all]) => {
      const shown = all.slice(0, 2).map(({ index, request, answer }) => `    #${index} ${request}\n      → ${answer}`);
      return `  ${all.length} × ${kind}\n${shown.join('\n')}`;
    })
    .join('\n');
}
