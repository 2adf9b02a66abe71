/** Credits under one Idempotency-Key: two processes on one PostgreSQL, and a process that is killed while it gives. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type OwnDatabase, ownDatabase } from './own-database.ts';
import { type Caller, type Service, startService } from './service.ts';

const engine = process.env.SVC_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** Each may have to wait until a dead process has lost its key. */
const rounds = process.env.SVC_LONG ? 10 : 2;

let services: Service[];
let database: OwnDatabase | undefined;

beforeAll(async () => {
  if (engine === 'sqlite') {
    services = [await startService()];
    return;
  }
  database = await ownDatabase();
  const env = database.withRedis;
  services = [await startService({ env }), await startService({ env })];
}, 300_000);
afterAll(async () => {
  for (const service of services) await service.stop();
  await database?.drop();
});

const give = (service: Service, target: Caller, key: string, quota = 100) =>
  fetch(`${service.url}/api/admin/users/${target.id}/credits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: services[0]!.root.cookie, 'idempotency-key': key },
    body: JSON.stringify({ quota }),
  });
/** Also how often it was given: a ledger line for each. */
async function given(target: Caller): Promise<{ lines: number; balance: number }> {
  const { entries } = await target.api<{ entries: { amount: number }[] }>('/api/ledger?page_size=100');
  const { quota } = await target.api<{ quota: number }>('/api/user/self');
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(quota);
  return { lines: entries.length, balance: quota };
}

describe(engine, () => {
  test('50 parallel requests with one idempotency key give credits once', async () => {
    const target = await services[0]!.user();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => give(services[i % services.length]!, target, 'fifty')),
    );
    expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await given(target)).toEqual({ lines: 1, balance: 100 });
  }, 300_000);

  test('credits are given once when the process is killed at any moment and the request is retried', async () => {
    const last = services[services.length - 1]!;
    for (let round = 0; round < rounds; round += 1) {
      const target = await services[0]!.user();
      const key = `killed ${round}`;
      const first = give(last, target, key).catch(() => null);
      // Wherever it is by then: before, within or after the grant.
      await Bun.sleep(1 + round * 3);
      await last.kill();
      await first;
      await last.restart();
      // A key that a dead process holds is free once that is off the list of owners; until then it is 409.
      let status = 0;
      while (status !== 200) {
        status = (await give(last, target, key)).status;
        if (status !== 200) await Bun.sleep(500);
      }
      expect(await given(target)).toEqual({ lines: 1, balance: 100 });
    }
  }, 600_000);
});
