/** PostgreSQL goes away in the middle of the work, orderly and not, and comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';
import { expectUnavailable, message } from './without-database.ts';

const outageMs = process.env.SVC_LONG ? 10_000 : 4_000;

let postgres: OwnServer | undefined;
let service: Service;
let missing = '';

beforeAll(async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    return;
  }
  service = await startService({ env: { DATABASE_URL: postgres.url } });
}, 300_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
  printSeen();
});

describe.each(['crash', 'orderly'] as const)('the database is gone for a while (%s)', (how) => {
  test('503 in the endpoint’s shape meanwhile, recovery by itself, no charge lost', async () => {
    if (!postgres) return console.log(`SKIPPED: the database outage (${missing})`);
    const load = await startLoad(service, { pauseMs: 5 });
    await until('the load runs', () => load.total() > 50, 60_000);
    await postgres.stop(how);
    await Bun.sleep(outageMs / 2);
    await expectUnavailable(service);
    await Bun.sleep(outageMs / 2);
    await postgres.start();
    const before = load.total();
    await until('requests are answered again', () => load.total() > before + 50, 60_000);
    await load.end();
    await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
    const sums = await account(load, service);
    load.upstream.stop();
    const failed = tally(load.failures);
    saw(
      `database gone for ${outageMs / 1000} s under load (${how})`,
      'requests that need it fail with 503 and a clear message; it recovers by itself; no charge lost',
      `failed meanwhile: ${JSON.stringify(failed)}; then ${load.total() - before} answers without a restart; ` +
        `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served`,
    );
    // Whoever was between answer and settlement waits instead of failing, and that may be the whole load; the requests above
    // were surely refused. What did fail, failed in no other way.
    for (const kind of Object.keys(failed)) expect(kind).toBe('503 unavailable');
    for (const failure of load.failures) expect(failure.message).toBe(message);
    expect(load.broken).toBe(0);
    inOrder(sums);
  }, 300_000);
});
