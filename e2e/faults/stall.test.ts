/** PostgreSQL freezes under load with its connections open, and resumes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { NoServer, type OwnPostgres, ownPostgres } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';
import { expectUnavailable, message } from './without-database.ts';

const rounds = process.env.SVC_LONG ? 10 : 1;
/** Longer than it takes the service to notice. */
const stallMs = process.env.SVC_LONG ? 15_000 : 9_000;
let postgres: OwnPostgres | undefined;
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
  service = await startService({ env: { DATABASE_URL: postgres.url, DEMO_PROVIDER: 'on' } });
}, 300_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
  printSeen();
});

/** Requests to free models are logged too, but in the background. */
function startFreeLoad(key: string) {
  const sums = { answered: 0, failed: 0 };
  let going = true;
  const body = { model: 'demo/embed', input: 'tea' };
  const client = async () => {
    while (going) {
      const answer = await service.post('/v1/embeddings', body, { key });
      await answer.text();
      if (answer.ok) sums.answered += 1;
      else sums.failed += 1;
      await Bun.sleep(20);
    }
  };
  const running = Promise.all([client(), client()]);
  const end = async () => {
    going = false;
    await running;
    return sums;
  };
  return { end };
}

test('answers 503 in bounded time while the database hangs, recovers by itself and charges exactly once', async () => {
  if (!postgres) return console.log(`SKIPPED: the frozen database (${missing})`);
  const load = await startLoad(service, { pauseMs: 5 });
  const reader = await service.user();
  const free = startFreeLoad(await reader.key());
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    const before = load.total();
    await until('the load runs', () => load.total() > before + 50, 60_000);
    await postgres.freeze();
    const frozen = performance.now();
    await expectUnavailable(service);
    slowestMs = Math.max(slowestMs, performance.now() - frozen);
    // Later requests fail without waiting: no statement is sent.
    await expectUnavailable(service);
    await Bun.sleep(Math.max(0, stallMs - (performance.now() - frozen)));
    await postgres.thaw();
    await until('it is ready again', async () => (await fetch(`${service.url}/readyz`)).ok, 60_000);
  }
  const recovered = load.total();
  await until('requests are answered again', () => load.total() > recovered + 50, 60_000);
  await load.end();
  const unpaid = await free.end();
  await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
  const sums = await account(load, service);
  load.upstream.stop();
  const logged = () => reader.api<{ total: number }>('/api/usage/logs?page_size=1').then(({ total }) => total);
  await until('the free requests are in the log', async () => (await logged()) >= unpaid.answered, 60_000);
  const failed = tally(load.failures);
  saw(
    `database frozen for ${stallMs / 1000} s under load (SIGSTOP), ${rounds} times`,
    '503 and a clear message in bounded time; recovers by itself; nothing lost or charged twice',
    `all endpoints refused after ${(slowestMs / 1000).toFixed(1)} s at most; failed: ${JSON.stringify(failed)}; ` +
      `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served; ` +
      `${unpaid.answered} free requests answered, ${await logged()} logged`,
  );
  for (const kind of Object.keys(failed)) expect(kind).toBe('503 unavailable');
  for (const failure of load.failures) expect(failure.message).toBe(message);
  expect(load.broken).toBe(0);
  expect(unpaid.failed).toBeGreaterThan(0);
  expect(await logged()).toBe(unpaid.answered);
  inOrder(sums);
}, 600_000);
