/** The process is stopped and killed under load. */
import { afterAll, expect, test } from 'bun:test';
import { type Service, startService, until } from '../service.ts';
import { account, inOrder, type Load, startLoad, tally } from './load.ts';
import { printSeen, saw } from './table.ts';

const kills = process.env.SVC_LONG ? 200 : 10;
const services: Service[] = [];
afterAll(async () => {
  for (const service of services) await service.stop();
  printSeen();
});

async function begin(): Promise<Service> {
  const service = await startService();
  services.push(service);
  return service;
}

test('SIGTERM under load finishes and charges running requests and exits with 0', async () => {
  const service = await begin();
  const load = await startLoad(service, { everyMs: 100 });
  await until('the load runs', () => load.total() > 20, 60_000);
  const accepted = load.upstream.asked.length;
  const code = await service.kill('SIGTERM');
  await load.end();
  await service.restart();
  const sums = await account(load, service);
  load.upstream.stop();
  saw(
    'SIGTERM under load',
    'streams finish, exit 0',
    `exit ${code}; of ${sums.served} begun ${sums.answered} finished, ${Object.values(tally(load.failures)).length} failed; ` +
      `${sums.charged} charged`,
  );
  expect(code).toBe(0);
  // Calls after the exit were not accepted; every call that had started got its complete answer.
  expect(tally(load.failures)).toEqual({});
  expect(sums.served).toBeGreaterThanOrEqual(accepted);
  expect([sums.answered, sums.charged]).toEqual([sums.served, sums.served]);
  inOrder(sums);
}, 300_000);

test(`survives SIGKILL under load, ${kills} times`, async () => {
  const service = await begin();
  const load = await startLoad(service, { clients: 16 });
  for (let i = 0; i < kills; i++) {
    const before = load.total();
    await until('the load runs', () => load.total() > before + 20, 60_000);
    // At a different moment each time: before, between and after the writes of a request.
    await Bun.sleep((i * 37) % 100);
    await service.kill('SIGKILL');
    await service.restart();
  }
  await load.end();
  await until('nothing is held any more', async () => (await account(load, service)).astray === 0, 60_000);
  const sums = await account(load, service);
  const repeated = await repeatedIds(service, load);
  load.upstream.stop();
  saw(
    `SIGKILL under load, then restart, ${kills} times`,
    'every answered request is in the ledger exactly once; holds of killed requests are released',
    `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served by the upstream; ` +
      `${repeated} ids twice, ${sums.astray} quota still held`,
  );
  expect(repeated).toBe(0);
  // Between the restarts only interrupted calls fail.
  expect(tally(load.failures)).toEqual({});
  inOrder(sums);
}, 900_000);

/** Request ids that are in the log more than once. */
async function repeatedIds(service: Service, load: Load): Promise<number> {
  const ids = new Set<string>();
  let rows = 0;
  for (const user of load.users) {
    for (let page = 1, more = true; more; page++) {
      const { logs } = await user.api<{ logs: { request_id: string }[] }>(`/api/usage/logs?page_size=100&page=${page}`);
      for (const log of logs) ids.add(log.request_id);
      rows += logs.length;
      more = logs.length === 100;
    }
  }
  if (rows === 0) throw new Error(`no rows in the log of ${service.url}`);
  return rows - ids.size;
}
