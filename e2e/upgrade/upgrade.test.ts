/** Upgrade from the previous release without downtime: both serve at the same time, on one PostgreSQL and one Redis. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startBalancer } from '../balancer.ts';
import { account, inOrder, type Load, startLoad, tally } from '../faults/load.ts';
import { printSeen, saw } from '../faults/table.ts';
import { program } from '../program.ts';
import { NoServer, type OwnServer, ownPostgres, ownRedis } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { startBackgroundTraffic } from './background-traffic.ts';
import { checkOut, NoRelease, type Release } from './release.ts';

let before: Release | undefined;
let postgres: OwnServer | undefined;
let redis: OwnServer | undefined;
let missing = '';
/** Everything that a test has started, also if it failed. */
const started: { stop(): unknown }[] = [];
const dataDir = mkdtempSync(join(tmpdir(), 'svc-upgrade-'));

beforeAll(async () => {
  try {
    before = await checkOut();
    [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  } catch (error) {
    if (!(error instanceof NoServer) && !(error instanceof NoRelease)) throw error;
    missing = error.message;
    console.log(`SKIPPED: from the release before to this one (${missing})`);
  }
}, 600_000);
afterAll(async () => {
  for (const one of started) await one.stop();
  await postgres?.remove();
  await redis?.remove();
  await before?.remove();
  rmSync(dataDir, { recursive: true, force: true });
  printSeen();
});

/** A separate database with two processes of the previous release. */
async function startBoth(name: string): Promise<{ services: [Service, Service]; sql: SQL }> {
  const admin = new SQL(postgres!.url, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  await admin.close();
  const url = new URL(postgres!.url);
  url.pathname = `/${name}`;
  const env = {
    DATABASE_URL: url.href,
    REDIS_URL: redis!.url,
    REDIS_PREFIX: `${name}:`,
    ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
  };
  const options = { dataDir, env, program: before!.program };
  const services: [Service, Service] = [await startService(options), await startService(options)];
  const sql = new SQL(url.href, { max: 1 });
  started.push(...services, { stop: () => sql.close() });
  return { services, sql };
}

/** Holds that belong to no running request. */
async function held(sql: SQL): Promise<unknown[]> {
  return sql`select owner, amount from billing_holds
    union all select owner, amount from billing_reserves`;
}

const goesOn = async (load: Load, answers = 100): Promise<void> => {
  const begun = load.total();
  await until('the load goes on', () => load.total() > begun + answers, 120_000);
};
/** The previous release looks for orphans at this interval; it must have had time to see one. */
const itsRoundMs = 25_000;

test('a rolling upgrade of two processes under load fails no request and charges every answer once', async () => {
  if (missing) return;
  const { services, sql } = await startBoth('rolling');
  const balancer = await startBalancer(services.map(({ url }) => url));
  started.push(balancer);
  const at = { url: () => balancer.url, ownConnections: true };
  const loads = [
    await startLoad(services[0], { ...at, everyMs: 10, pauseMs: 20 }),
    // Streams that last longer than a process takes to start.
    await startLoad(services[0], { ...at, everyMs: 2_000, clients: 4 }),
  ] as const;
  started.push(...loads.map(({ upstream }) => upstream));
  const comings = await startBackgroundTraffic(services[0], balancer.url);
  await goesOn(loads[0]);
  for (const service of services) {
    expect(await service.kill('SIGTERM')).toBe(0);
    await service.restart(program);
    await goesOn(loads[0]);
    if (service === services[0]) await Bun.sleep(itsRoundMs);
  }
  await Promise.all([...loads.map((load) => load.end()), comings.end()]);
  const failures = [...loads.map((load) => [load.broken, tally(load.failures)]), comings.failures];
  const sums = await Promise.all(loads.map((load) => account(load, services[0])));
  saw(
    `rolling upgrade of two processes from ${before!.ref} under load`,
    'no failed request, every answer charged once',
    `${sums.map(({ answered, charged }) => `${answered} answered, ${charged} charged`).join('; ')}; ` +
      `${JSON.stringify(comings.done)}; failed: ${JSON.stringify(failures)}`,
  );
  await until('nothing is held', async () => (await held(sql)).length === 0, 90_000);
  expect(failures).toEqual([[0, {}], [0, {}], []]);
  for (const one of sums) {
    inOrder(one);
    expect([one.charged, one.served]).toEqual([one.answered, one.answered]);
  }
}, 600_000);

test('holds of a killed process of the previous release are released once', async () => {
  if (missing) return;
  const { services, sql } = await startBoth('killed');
  const [fresh, old] = services;
  const balancer = await startBalancer(services.map(({ url }) => url));
  const load = await startLoad(fresh, { url: () => balancer.url, everyMs: 300, clients: 32 });
  started.push(balancer, load.upstream);
  await goesOn(load, 20);
  expect(await fresh.kill('SIGTERM')).toBe(0);
  await fresh.restart(program);
  await goesOn(load, 20);
  await old.kill('SIGKILL');
  await goesOn(load, 20);
  await load.end();
  await until('nothing is held', async () => (await held(sql)).length === 0, 120_000);
  const sums = await account(load, fresh);
  saw(
    `a process of ${before!.ref} killed beside a new one`,
    'its holds are released, streams pay for their partial output',
    `${JSON.stringify(sums)}, ${load.broken} cut, ${JSON.stringify(tally(load.failures))} failed`,
  );
  inOrder(sums);
}, 600_000);
