/**
 * Valid and broken requests to every endpoint, with and without credentials: no 5xx, no hang, no secret in an answer.
 * `SVC_FUZZ_SEED=n` chooses other requests, `SVC_FUZZ_ONLY=index,…` repeats some of them.
 */
import { afterEach, expect, test } from 'bun:test';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService } from '../service.ts';
import { type Finding, fuzz } from './run.ts';
import { postgresOf, sqliteOf } from './storage.ts';
import type { Storage } from './world.ts';

const seed = Number(process.env.SVC_FUZZ_SEED ?? 20_260_701);
const count = Number(process.env.SVC_FUZZ_REQUESTS ?? (process.env.SVC_LONG ? 200_000 : 15_000));
const only = process.env.SVC_FUZZ_ONLY?.split(',').map(Number);
const env = { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };

let service: Service | undefined;
let postgres: OwnServer | undefined;
afterEach(async () => {
  await service?.stop();
  await postgres?.remove();
});

async function run(under: Service, storage: Storage, from: number, to: number): Promise<void> {
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
  if (!only && to - from > 5_000) expect(seen.unreached.length).toBeLessThan(seen.endpoints * 0.3);
  expect((await fetch(`${under.url}/readyz`)).status).toBe(200);
}

test('no request causes a server error on SQLite', async () => {
  service = await startService({ env });
  await run(service, sqliteOf(service), 0, Math.floor(count * 0.7));
}, 1_800_000);

test('no request causes a server error on PostgreSQL', async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return console.log(`SKIPPED: fuzzing on PostgreSQL (${error.message})`);
  }
  service = await startService({ env: { ...env, DATABASE_URL: postgres.url } });
  await run(service, postgresOf(postgres.url), Math.floor(count * 0.7), count);
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
