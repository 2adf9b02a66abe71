/** Redis stops under load and recovers; meanwhile requests are answered with the limits of this process alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { NoServer, type OwnServer, ownRedis } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';

const outageMs = process.env.SVC_LONG ? 10_000 : 4_000;
let redis: OwnServer | undefined;
let service: Service;
let missing = '';

beforeAll(async () => {
  try {
    redis = await ownRedis();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    return;
  }
  service = await startService({ env: { REDIS_URL: redis.url } });
}, 300_000);
afterAll(async () => {
  await service?.stop();
  await redis?.remove();
  printSeen();
});

async function countersInRedis(): Promise<number> {
  const client = new RedisClient(redis!.url);
  const keys = (await client.send('KEYS', ['svc:rate:*'])) as string[];
  client.close();
  return keys.length;
}

test('uses local limits while Redis is down, and shared limits afterwards', async () => {
  if (!redis) return console.log(`SKIPPED: the Redis outage (${missing})`);
  const set = (key: string, value: unknown) =>
    service.root.api('/api/admin/options', { method: 'PUT', body: { key, value } });
  const load = await startLoad(service, { pauseMs: 5 });
  await set('RateLimitV1', 10_000_000);
  await set('RateLimitOAuthIntrospect', 5);
  await set('RateLimitEnabled', true);
  await until('the load runs', () => load.total() > 50, 60_000);
  expect(await countersInRedis()).toBeGreaterThan(0);

  await redis.stop('crash');
  const before = load.total();
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++) {
    const answer = await fetch(`${service.url}/api/oauth2/introspect`, { method: 'POST', body: 'token=x' });
    statuses.push(answer.status);
    await answer.text();
  }
  await Bun.sleep(outageMs);
  await until('many were answered without it', () => load.total() > before + 50);
  const meanwhile = load.total() - before;
  const readyz = (await (await fetch(`${service.url}/readyz`)).json()) as { failing: string[] };
  await redis.start();
  await until(
    'the limits are counted in Redis again',
    async () => (await countersInRedis()) > 0 && (await fetch(`${service.url}/readyz`)).status === 200,
    60_000,
  );
  await load.end();
  await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
  const sums = await account(load, service);
  load.upstream.stop();
  saw(
    `Redis gone for ${outageMs / 1000} s under load`,
    'requests are answered with local limits; recovers by itself',
    `${meanwhile} answers meanwhile, failed: ${JSON.stringify(tally(load.failures))}; a limit of 5 let through ` +
      `${statuses.filter((status) => status !== 429).length} of 8; counted in Redis again afterwards`,
  );
  expect(tally(load.failures)).toEqual({});
  expect(load.broken).toBe(0);
  expect(meanwhile).toBeGreaterThan(50);
  expect(readyz.failing).toEqual(['redis']);
  expect(statuses.slice(0, 5).every((status) => status !== 429)).toBe(true);
  expect(statuses.slice(5)).toEqual([429, 429, 429]);
  inOrder(sums);
}, 300_000);
