/** Two processes on one PostgreSQL and one Redis: what changes on one counts on the other, and one that dies leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomString } from '../server/src/lib/ids.ts';
import { hasBoth, type OwnDatabase, ownDatabase } from './own-database.ts';
import { program } from './program.ts';
import { says } from './relay-replies.ts';
import { type Service, startService, until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

const missing = !(await hasBoth());
if (missing) console.warn('skipped: PostgreSQL or Redis is missing, so two processes were not run');

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];

describe.skipIf(missing)('two processes', () => {
  let database: OwnDatabase;
  let one: Service;
  let two: Service;
  const upstreams: Upstream[] = [];

  beforeAll(async () => {
    database = await ownDatabase();
    const env = database.withRedis;
    one = await startService({ env });
    two = await startService({ env });
  });
  afterAll(async () => {
    for (const upstream of upstreams) upstream.stop();
    await one?.stop();
    await two?.stop();
    await database.drop();
  });

  const scripted = (...given: Parameters<typeof startUpstream>): Upstream => {
    const upstream = startUpstream(...given);
    upstreams.push(upstream);
    return upstream;
  };

  async function circuitOf(service: Service, model: string): Promise<string> {
    const query = `model_id=${encodeURIComponent(model)}`;
    const { metrics } = await service.root.api<{ metrics: Loose[] }>(`/api/routing/metrics?${query}`);
    return metrics[0]?.circuit_state;
  }

  test('an option changed and a key revoked in one process take effect in the other', async () => {
    const register = () =>
      fetch(`${two.url}/api/user/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: `u_${randomString(8)}`, password: 'long enough' }),
      });
    const allow = (value: boolean) =>
      one.root.api('/api/admin/options', { method: 'PUT', body: { key: 'RegistrationEnabled', value } });
    expect((await register()).status).toBe(200);
    await allow(false);
    await until('the other knows', async () => (await register()).status === 403);
    await allow(true);
    await until('the other knows', async () => (await register()).status === 200);

    const key = await one.root.key({ name: 'to revoke' });
    const use = (at: string) => fetch(`${at}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect((await use(one.url)).status).toBe(200);
    expect((await use(two.url)).status).toBe(200);
    const keys = await one.root.api<{ id: number; name: string }[]>('/api/tokens');
    const { id } = keys.find((item) => item.name === 'to revoke')!;
    await one.root.api(`/api/tokens/${id}`, { method: 'DELETE' });
    for (const { url } of [one, two]) await until('it is revoked', async () => (await use(url)).status === 401);
  });

  test('svc create-admin ends the sessions of its user at running processes too', async () => {
    const username = `u_${randomString(8)}`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ username, password: 'long enough' });
    const made = await fetch(`${one.url}/api/user/register`, { method: 'POST', headers, body });
    const cookie = made.headers.get('set-cookie')!.split(';')[0]!;
    const self = async ({ url }: Service) => (await fetch(`${url}/api/user/self`, { headers: { cookie } })).status;
    for (const service of [one, two]) expect(await self(service)).toBe(200);
    const env = { PATH: process.env.PATH ?? '', DATA_DIR: one.dataDir, ...database.withRedis };
    expect(await Bun.spawn([...program, 'create-admin', username], { env, stdout: 'ignore' }).exited).toBe(0);
    // A cached session lives for a minute unless processes are told.
    for (const service of [one, two])
      await until('the session has ended', async () => (await self(service)) === 401, 20_000);
  });

  test('a model added in one process is served by the other immediately', async () => {
    const upstream = scripted(says('openai', { text: 'ok' }));
    const { modelId } = await one.serve({ kind: 'openai', url: upstream.url });
    await until(
      'the other serves it',
      async () => (await two.post(chat, { model: modelId, messages: hi })).status === 200,
    );
  });

  test('a circuit that opens in one process is open in the other', async () => {
    const upstream = scripted(() => refuse(500));
    const { modelId } = await one.serve({ kind: 'openai', url: upstream.url });
    await until('the other knows it', async () => (await circuitOf(two, modelId)) === 'closed');
    for (let i = 0; i < 5; i++) expect((await one.post(chat, { model: modelId, messages: hi })).status).toBe(502);
    expect(await circuitOf(one, modelId)).toBe('open');
    await until('the other hears of it', async () => (await circuitOf(two, modelId)) === 'open');
    const asked = upstream.asked.length;
    expect((await two.post(chat, { model: modelId, messages: hi })).status).toBe(503);
    expect(upstream.asked.length).toBe(asked);
  });

  test('80 parallel requests through both never take a small balance below zero', async () => {
    const upstream = scripted(says('openai', { text: 'a b', usage: { input: 10, output: 20 } }, { everyMs: 5 }));
    const { modelId } = await one.serve({ kind: 'openai', url: upstream.url, promptPrice: 100, completionPrice: 100 });
    const start = 20_000;
    const user = await one.user(start);
    const key = await user.key();
    await until('the other knows the model', async () => (await circuitOf(two, modelId)) === 'closed');
    const ask = async (i: number): Promise<number> => {
      const body = { model: modelId, messages: hi, max_tokens: 30, stream: i % 4 < 2 };
      const answer = await (i % 2 ? one : two).post(chat, body, { key });
      await answer.text();
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 80 }, (_, i) => ask(i)));
    const answered = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
    const self = await one.self(user);
    expect(self.used_quota).toBe(answered * 30 * 50);
    expect(self.quota).toBeGreaterThanOrEqual(0);
    expect(self.quota + self.used_quota).toBe(start);
  });

  test('after a process is killed, the other settles its held credits', async () => {
    const upstream = scripted(
      says('openai', { text: 'a b c d e f g h', usage: { input: 10, output: 20 } }, { everyMs: 20 }),
    );
    const { modelId } = await one.serve({ kind: 'openai', url: upstream.url, promptPrice: 100, completionPrice: 100 });
    const start = 100_000_000;
    const user = await one.user(start);
    const key = await user.key();
    let killed = false;
    let answered = 0;
    const client = async () => {
      while (!killed) {
        const body = { model: modelId, messages: hi, max_tokens: 40, stream: true };
        const text = await one
          .post(chat, body, { key })
          .then((answer) => answer.text())
          .catch(() => '');
        if (text.includes('[DONE]')) answered += 1;
      }
    };
    const clients = Array.from({ length: 16 }, client);
    await until('many were answered', () => answered > 40);
    killed = true;
    await one.kill('SIGKILL');
    await Promise.all(clients);
    const money = async (): Promise<Loose> => {
      const { users } = await two.root.api<{ users: Loose[] }>('/api/admin/users?q=user_&page_size=100');
      return users.find(({ id }) => id === user.id);
    };
    // After three missed heartbeats and the next sweep.
    await until(
      'nothing is held any more',
      async () => {
        const { quota, used_quota } = await money();
        return quota + used_quota === start;
      },
      240_000,
    );
    const { used_quota } = await money();
    expect(answered).toBeGreaterThan(10);
    expect(used_quota).toBeGreaterThanOrEqual(answered * 30 * 50);
    expect(used_quota).toBeLessThanOrEqual(upstream.asked.length * 30 * 50);
  }, 300_000);
});
