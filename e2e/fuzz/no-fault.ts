/**
 * Valid and broken requests to every endpoint, with and without credentials: no 5xx, no hang, no secret in an answer.
 * `SVC_FUZZ_SEED=n` chooses other requests, `SVC_FUZZ_ONLY=index,…` repeats some of them.
 */
import { expect } from 'bun:test';
import type { Service } from '../service.ts';
import { type Finding, fuzz } from './run.ts';
import type { Storage } from './world.ts';

const seed = Number(process.env.SVC_FUZZ_SEED ?? 20_260_701);
const count = Number(process.env.SVC_FUZZ_REQUESTS ?? (process.env.SVC_LONG ? 200_000 : 15_000));
const only = process.env.SVC_FUZZ_ONLY?.split(',').map(Number);
export const env = { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };

/** Of all requests, SQLite answers the first and PostgreSQL the rest. */
const countOnSqlite = Math.floor(count * 0.7);
export const requestsOnSqlite = [0, countOnSqlite] as const;
export const requestsOnPostgres = [countOnSqlite, count] as const;

export async function expectNoFault(under: Service, storage: Storage, [from, to]: readonly [number, number]) {
  const started = performance.now();
  const indexes = only ?? Array.from({ length: to - from }, (_, i) => from + i);
  const seen = await fuzz(under, storage, seed, indexes);
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `fuzz: ${seen.requests} requests from seed ${seed} in ${seconds.toFixed(1)} s; statuses ${JSON.stringify(seen.statuses)}; ` +
      `never answered with success: ${seen.unreached} of ${seen.endpoints} endpoints`,
  );
  if (seen.findings.length > 0) console.log(report(seen.findings), under.output().slice(-6_000));
  expect(seen.findings).toHaveLength(0);
  // Most endpoints must have succeeded at least once, or the run proves little.
  if (!only && to - from > 5_000) expect(seen.unreached.length).toBeLessThan(seen.endpoints * 0.2);
  expect((await fetch(`${under.url}/readyz`)).status).toBe(200);
}

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
