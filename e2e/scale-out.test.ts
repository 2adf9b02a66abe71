/** Several processes behind one port on PostgreSQL and Redis of their own: to callers they are one service. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBalancer } from './balancer.ts';
import { account, inOrder, type Load, startLoad, tally } from './faults/load.ts';
import { printSeen, saw } from './faults/table.ts';
import { program } from './program.ts';
import { NoServer, type OwnServer, ownPostgres, ownRedis } from './servers.ts';
import { freePort, type Service, startService, until } from './service.ts';
import { refuse, startUpstream } from './upstream.ts';

const rounds = process.env.SVC_LONG ? 10 : 2;
const dataDir = mkdtempSync(join(tmpdir(), 'svc-scale-'));
const key = '0123456789abcdef'.repeat(4);
let postgres: OwnServer | undefined;
let redis: OwnServer | undefined;
let missing = '';
beforeAll(async () => {
  try {
    [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    console.log(`SKIPPED: several processes (${missing})`);
  }
}, 300_000);
afterAll(async () => {
  await postgres?.remove();
  await redis?.remove();
  rmSync(dataDir, { recursive: true, force: true });
  printSeen();
});
const environment = () => ({ DATABASE_URL: postgres!.url, REDIS_URL: redis!.url, ENCRYPTION_KEY: key });

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];

describe('several processes', () => {
  let service: Service;
  beforeAll(async () => {
    if (missing) return;
    service = await startService({ dataDir, env: { ...environment(), WORKERS: '2', DEMO_PROVIDER: 'on' } });
    await until('both workers answer', async () => (await pids()).size === 2, 60_000);
  }, 300_000);
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await service?.stop();
  });

  /** A connection of its own each time, so that the system deals them out to both processes. */
  const ask = (path: string, init: { key?: string; cookie?: string; body?: unknown } = {}) =>
    fetch(service.url + path, {
      method: init.body === undefined ? 'GET' : 'POST',
      headers: {
        connection: 'close',
        ...(init.key && { authorization: `Bearer ${init.key}` }),
        ...(init.cookie && { cookie: init.cookie }),
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
  const times = <T>(count: number, call: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, i) => call(i)));
  const statuses = async (count: number, call: (i: number) => Promise<Response>) =>
    times(count, async (i) => {
      const answer = await call(i);
      await answer.text();
      return answer.status;
    });
  const pids = async (): Promise<Set<number>> =>
    new Set(
      await times(12, async () => {
        const answer = await ask('/api/admin/system', { cookie: service.root.cookie });
        return ((await answer.json()) as Loose).data.pid as number;
      }).catch(() => []),
    );
  const set = (name: string, value: unknown) =>
    service.root.api('/api/admin/options', { method: 'PUT', body: { key: name, value } });

  test('a rate limit applies to all processes together', async () => {
    if (missing) return;
    const mine = await service.root.key();
    await set('RateLimitV1', 20);
    await set('RateLimitEnabled', true);
    const probe = await service.root.key();
    await until('both apply it', async () => {
      const answers = await times(20, () => ask('/v1/models', { key: probe }));
      await Promise.all(answers.map((answer) => answer.text()));
      return answers.every(({ headers }) => headers.get('ratelimit-limit') === '20');
    });
    const seen = await statuses(60, () => ask('/v1/models', { key: mine }));
    await set('RateLimitEnabled', false);
    expect(seen.filter((status) => status === 200)).toHaveLength(20);
    expect(seen.filter((status) => status === 429)).toHaveLength(40);
  });

  test('revoked keys and changed options take effect in every process', async () => {
    if (missing) return;
    const mine = await service.root.key({ name: 'to revoke' });
    expect(new Set(await statuses(20, () => ask('/v1/models', { key: mine })))).toEqual(new Set([200]));
    const keys = await service.root.api<{ id: number; name: string }[]>('/api/tokens');
    const { id } = keys.find(({ name }) => name === 'to revoke')!;
    await service.root.api(`/api/tokens/${id}`, { method: 'DELETE' });
    await set('RegistrationEnabled', false);
    const all = async (count: number, status: number, call: () => Promise<Response>) =>
      (await statuses(count, call)).every((one) => one === status);
    await until('both refuse the key', () => all(20, 401, () => ask('/v1/models', { key: mine })));
    const newcomer = { username: 'newcomer', password: 'a fine password' };
    await until('both are closed', () => all(12, 403, () => ask('/api/user/register', { body: newcomer })));
    await set('RegistrationEnabled', true);
  });

  test('an open circuit is open in every process', async () => {
    if (missing) return;
    const upstream = startUpstream(() => refuse(500));
    const { modelId } = await service.serve({ kind: 'openai', url: upstream.url });
    const call = () => ask(chat, { key: service.key, body: { model: modelId, messages: hi } });
    for (let i = 0; i < 12; i++) await (await call()).text();
    await until('both know', async () => (await statuses(12, call)).every((status) => status === 503));
    const asked = upstream.asked.length;
    expect(new Set(await statuses(20, call))).toEqual(new Set([503]));
    upstream.stop();
    expect(upstream.asked.length).toBe(asked);
    // Five failures are enough; the other process may have seen as many of its own before it heard of these.
    expect(asked).toBeLessThan(11);
  });

  test('every process streams the events of a run, complete and in order', async () => {
    if (missing) return;
    const goal = { message: 'Say hello.', session_id: 'scale-out', config: { max_iterations: 2 } };
    const begun = await ask('/api/svc-ms/autonomous/execute', { key: service.key, body: goal });
    expect(begun.status).toBe(200);
    void begun.body?.cancel();
    const told = await times(8, async () => {
      const answer = await ask('/api/svc-ms/autonomous/scale-out/events', { key: service.key });
      return [...(await answer.text()).matchAll(/^id: ?(\d+)$/gm)].map((match) => Number(match[1]));
    });
    expect(told[0]!.length).toBeGreaterThan(3);
    for (const ids of told) expect(ids).toEqual(told[0]!);
    expect(told[0]!).toEqual(told[0]!.toSorted((a, b) => a - b));
  }, 300_000);

  let killed: Load;
  test('a killed worker is restarted', async () => {
    if (missing) return;
    const before = await pids();
    killed = await startLoad(service, { pauseMs: 5 });
    await until('the load runs', () => killed.total() > 50, 60_000);
    process.kill([...before][0]!, 'SIGKILL');
    await until('a new worker answers', async () => [...(await pids())].some((pid) => !before.has(pid)), 60_000);
    const answered = killed.total();
    await until('the load goes on', () => killed.total() > answered + 50, 60_000);
    await killed.end();
    expect(tally(killed.failures)).toEqual({});
  }, 300_000);

  test(`no request fails while two processes behind a balancer restart ${rounds} times each under load`, async () => {
    if (missing) return;
    const options = { dataDir, env: { ...environment(), REDIS_PREFIX: 'rolling:' } };
    const [one, two] = [await startService(options), await startService(options)];
    const balancer = await startBalancer([one.url, two.url]);
    const load = await startLoad(one, { url: () => balancer.url, everyMs: 20 });
    await until('the load runs', () => load.total() > 50, 60_000);
    for (let round = 0; round < rounds; round++) {
      for (const service of [one, two]) {
        expect(await service.kill('SIGTERM')).toBe(0);
        await service.restart();
        const before = load.total();
        await until('the load goes on', () => load.total() > before + 30, 60_000);
      }
    }
    await load.end();
    const sums = await account(load, one);
    saw(
      `rolling restart of two processes under load, ${rounds * 2} times`,
      'no failed request',
      `${sums.answered} answered, ${load.broken} cut, ${JSON.stringify(tally(load.failures))} failed; ${sums.charged} charged`,
    );
    balancer.stop();
    load.upstream.stop();
    await one.stop();
    await two.stop();
    expect([load.broken, tally(load.failures)]).toEqual([0, {}]);
    expect([sums.charged, sums.served]).toEqual([sums.answered, sums.answered]);
    inOrder(sums);
  }, 300_000);

  // Last, because what a dead process held is given back only after a while.
  test('the ledger is correct after the kill', async () => {
    if (missing) return;
    await until('nothing is held any more', async () => (await account(killed, service)).astray === 0, 90_000);
    const sums = await account(killed, service);
    killed.upstream.stop();
    saw(
      'one of two workers killed under load',
      'it is started again; the other goes on; every answer is charged once',
      `${killed.broken} calls were cut with it, ${JSON.stringify(tally(killed.failures))} failed; ` +
        `${sums.answered} answered, ${sums.charged} charged, ${sums.served} served`,
    );
    inOrder(sums);
  }, 300_000);

  test('workers that cannot restart are tried at growing intervals, and serve once the database is back', async () => {
    if (missing) return;
    const before = await pids();
    const isOld = (pid: number) => before.has(pid);
    await postgres!.stop('crash');
    try {
      for (const pid of before) process.kill(pid, 'SIGKILL');
      const pauses = () =>
        [...service.output().matchAll(/"worker":1,"code":1,"seconds":(\d+)/g)].map((match) => Number(match[1]));
      await until('it was tried three times', () => pauses().length >= 3, 120_000);
      const seen = pauses();
      expect(seen).toEqual(seen.map((_, n) => Math.min(30, seen[0]! * 2 ** n)));
      expect(seen[0]).toBeGreaterThan(1);
    } finally {
      await postgres!.start();
    }
    await until(
      'two new workers answer',
      async () => {
        const now = [...(await pids().catch(() => new Set<number>()))];
        return now.length === 2 && !now.some(isOld);
      },
      120_000,
    );
  }, 300_000);

  test('workers exit when their supervisor is killed', async () => {
    if (missing) return;
    const workers = [...(await pids())];
    await service.kill('SIGKILL');
    await until('the workers have ended', () => !workers.some(isAlive), 60_000);
  }, 300_000);

  test('workers that are still starting exit when their supervisor is killed', async () => {
    if (missing) return;
    const env = {
      PATH: process.env.PATH ?? '',
      PORT: `${freePort()}`,
      DATA_DIR: dataDir,
      WORKERS: '2',
      ...environment(),
    };
    const supervisor = Bun.spawn(program, { env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
    let workers: number[] = [];
    await until('it has workers', async () => {
      workers = await childrenOf(supervisor.pid);
      return workers.length === 2;
    });
    supervisor.kill('SIGKILL');
    await until('the workers have ended', () => !workers.some(isAlive), 60_000).finally(() => {
      for (const pid of workers.filter(isAlive)) process.kill(pid, 'SIGKILL');
    });
  }, 300_000);
});

async function childrenOf(pid: number): Promise<number[]> {
  const lines = await Bun.$`pgrep -P ${pid}`.quiet().nothrow().text();
  return lines.split('\n').filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
