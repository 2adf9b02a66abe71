/** Exact charges end to end: clients, holds, settlements, and a process that is killed in between. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadTokens } from '../server/src/lib/tokens.ts';
import { created, done, scriptedVendor, Talk, words } from '../server/src/relay/realtime/realtime.fixture.ts';
import { says } from './relay-replies.ts';
import { type Caller, type ModelSetup, type Service, startService, until } from './service.ts';
import { refuse, type Script, startUpstream, type Upstream } from './upstream.ts';

let service: Service;
const upstreams: Upstream[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  for (const upstream of upstreams) upstream.stop();
  await service?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];
/** 100 USD per million tokens: 50 quota per token. */
const perToken = 50;
const priced = { promptPrice: 100, completionPrice: 100 };

async function serve(script: Script, setup: Partial<ModelSetup> = priced) {
  const upstream = startUpstream(script);
  upstreams.push(upstream);
  return { upstream, ...(await service.serve({ kind: 'openai', url: upstream.url, ...setup })) };
}

const logsOf = (user: Caller) => user.api<{ logs: Loose[]; total: number }>('/api/usage/logs?page_size=100');
const settled = (user: Caller, requests: number) =>
  until(`${requests} requests are settled`, async () => (await logsOf(user)).total === requests);

test.each([false, true])('an answer is charged by its tokens (stream: %p)', async (stream) => {
  const { modelId } = await serve(says('openai', { text: 'fine', usage: { input: 13, output: 29 } }));
  const user = await service.user(1_000_000);
  const answer = await service.post(chat, { model: modelId, messages: hi, stream }, { key: await user.key() });
  await answer.text();
  // A client that received the whole answer has been charged for it.
  const self = await service.self(user);
  expect(self).toMatchObject({ used_quota: 42 * perToken, quota: 1_000_000 - 42 * perToken, request_count: 1 });
  const { logs } = await logsOf(user);
  expect(logs).toMatchObject([{ prompt_tokens: 13, completion_tokens: 29, quota: 42 * perToken, status: 'ok' }]);
});

test.each([false, true])('tokens are counted here if the upstream reports none (stream: %p)', async (stream) => {
  const text = 'Counting words is not counting tokens, señor 🎉.';
  const { modelId } = await serve(says('openai', { text, usage: null }));
  const user = await service.user(1_000_000);
  const messages = [{ role: 'user', content: 'Say something about counting, please.' }];
  await (await service.post(chat, { model: modelId, messages, stream }, { key: await user.key() })).text();
  const { count } = await loadTokens();
  const { logs } = await logsOf(user);
  expect(logs[0].completion_tokens).toBe(await count(text));
  expect(logs[0].prompt_tokens).toBeGreaterThanOrEqual(await count(messages[0]!.content));
  expect(logs[0].prompt_tokens).toBeLessThan((await count(messages[0]!.content)) + 12);
  expect((await service.self(user)).used_quota).toBe(perToken * (logs[0].prompt_tokens + logs[0].completion_tokens));
});

test('failed and empty answers cost nothing', async () => {
  const user = await service.user(1_000_000);
  const key = await user.key();
  for (const script of [
    () => refuse(500),
    () => refuse(400),
    says('openai', { text: '', usage: { input: 5, output: 0 } }),
  ]) {
    const { modelId } = await serve(script);
    for (const stream of [false, true]) {
      await (await service.post(chat, { model: modelId, messages: hi, stream }, { key })).text();
    }
  }
  await until('nothing is held', async () => (await service.self(user)).quota === 1_000_000);
  expect((await service.self(user)).used_quota).toBe(0);
});

test('a free model needs no balance, a priced one does', async () => {
  const free = await serve(says('openai', { text: 'free' }), {});
  const dear = await serve(says('openai', { text: 'dear' }));
  const key = await (await service.user(0)).key();
  for (const stream of [false, true]) {
    expect((await service.post(chat, { model: free.modelId, messages: hi, stream }, { key })).status).toBe(200);
    const refused = await service.post(chat, { model: dear.modelId, messages: hi, stream }, { key });
    expect(refused.status).toBe(403);
    expect(((await refused.json()) as Loose).error).toMatchObject({
      type: 'insufficient_quota',
      code: 'insufficient_user_quota',
    });
  }
  expect(dear.upstream.asked.length).toBe(0);
});

test('the quota of a key is enforced too', async () => {
  const { modelId, upstream } = await serve(says('openai', { text: 'ok', usage: { input: 10, output: 10 } }));
  const user = await service.user(1_000_000);
  const key = await user.key({ remain_quota: 3_000, unlimited_quota: false });
  const ask = () => service.post(chat, { model: modelId, messages: hi, max_tokens: 20 }, { key });
  expect((await ask()).status).toBe(200);
  const [mine] = await user.api<Loose[]>('/api/tokens');
  expect(mine).toMatchObject({ remain_quota: 2_000, used_quota: 1_000 });
  while ((await ask()).status === 200);
  const refused = await ask();
  expect(((await refused.json()) as Loose).error.code).toBe('insufficient_key_quota');
  expect(upstream.asked.length).toBeLessThanOrEqual(3);
});

test('80 parallel requests never take a small balance below zero', async () => {
  const { modelId } = await serve(
    says('openai', { text: 'a b c d', usage: { input: 10, output: 20 } }, { everyMs: 10 }),
  );
  const start = 20_000;
  const user = await service.user(start);
  const key = await user.key();
  let lowest = start;
  let running = true;
  const watch = (async () => {
    while (running) lowest = Math.min(lowest, (await service.self(user)).quota);
  })();
  const ask = async (i: number): Promise<number> => {
    const answer = await service.post(
      chat,
      { model: modelId, messages: hi, max_tokens: 30, stream: i % 2 === 0 },
      { key },
    );
    await answer.text();
    return answer.status;
  };
  const statuses = await Promise.all(Array.from({ length: 80 }, (_, i) => ask(i)));
  running = false;
  await watch;
  const answered = statuses.filter((status) => status === 200).length;
  expect(new Set(statuses)).toEqual(new Set([200, 403]));
  const self = await service.self(user);
  expect(lowest).toBeGreaterThanOrEqual(0);
  expect(self.used_quota).toBe(answered * 30 * perToken);
  expect(self.quota + self.used_quota).toBe(start);
});

describe('SIGKILL with 16 clients connected', () => {
  test('charges at least the answered and at most the served requests, and leaves no holds', async () => {
    const { modelId, upstream } = await serve(
      says('openai', { text: 'a b c d e f', usage: { input: 10, output: 20 } }, { everyMs: 3 }),
    );
    const start = 100_000_000;
    const users = await Promise.all([service.user(start), service.user(start)]);
    const keys = await Promise.all(users.map((user) => user.key()));
    const answered = [0, 0];
    let killed = false;
    const client = async (index: number) => {
      const mine = index % 2;
      for (let i = 0; !killed; i++) {
        const body = { model: modelId, messages: hi, max_tokens: 40, stream: i % 2 === 0 };
        const answer = service.post(chat, body, { key: keys[mine]! });
        const text = await answer.then((response) => response.text()).catch(() => '');
        if (text.includes('[DONE]') || text.includes('"finish_reason":"stop"')) answered[mine]! += 1;
      }
    };
    const clients = Array.from({ length: 16 }, (_, index) => client(index));
    await until('many were answered', () => answered[0]! + answered[1]! > 100);
    killed = true;
    await service.kill('SIGKILL');
    await Promise.all(clients);
    await service.restart();

    const cost = 30 * perToken;
    let charged = 0;
    for (const [i, user] of users.entries()) {
      const self = await service.self(user);
      expect(self.quota + self.used_quota).toBe(start);
      const { total } = await logsOf(user);
      expect(self.request_count).toBe(total);
      expect(self.used_quota).toBeGreaterThanOrEqual(answered[i]! * cost);
      expect(total).toBeGreaterThanOrEqual(answered[i]!);
      charged += self.used_quota;
    }
    expect(answered[0]! + answered[1]!).toBeGreaterThan(50);
    expect(charged).toBeLessThanOrEqual(upstream.asked.length * cost);
    const ids = new Set<string>();
    for (const user of users) for (const log of (await logsOf(user)).logs) ids.add(log.request_id);
    expect(ids.size).toBeGreaterThan(0);
    const after = await service.post(chat, { model: modelId, messages: hi }, { key: keys[0]! });
    expect(after.status).toBe(200);
  });
});

test('SIGTERM lets streams finish, charges them and exits 0', async () => {
  const { modelId, upstream } = await serve(
    says('openai', { text: 'a b c d e f g h i j', usage: { input: 10, output: 20 } }, { everyMs: 100 }),
  );
  const user = await service.user(1_000_000);
  const key = await user.key();
  const answers = Array.from({ length: 8 }, async () => {
    const answer = await service.post(chat, { model: modelId, messages: hi, stream: true, max_tokens: 40 }, { key });
    return answer.text();
  });
  await until('all are under way', () => upstream.asked.length === 8 && upstream.asked.every(({ sent }) => sent > 2));
  const exited = service.kill('SIGTERM');
  for (const text of await Promise.all(answers)) expect(text).toContain('[DONE]');
  expect(await exited).toBe(0);
  await service.restart();
  await settled(user, 8);
  expect(await service.self(user)).toMatchObject({ used_quota: 8 * 30 * perToken, request_count: 8 });
});

test('SIGTERM closes realtime sessions with a message, and their usage is charged after SIGKILL', async () => {
  const vendor = scriptedVendor();
  const { modelId } = await service.serve({ kind: 'openai', url: vendor.url, type: 'realtime', ...priced });
  const user = await service.user(10_000_000);
  const headers = { authorization: `Bearer ${await user.key()}` };
  const address = `${service.url.replace('http', 'ws')}/v1/realtime?model=${modelId}`;
  const answering = async (): Promise<Talk> => {
    const talk = new Talk(address, { headers });
    await talk.told('session.created');
    const socket = vendor.sockets.at(-1)!;
    socket.send(created('a'));
    // One token per four letters if usage is not reported.
    socket.send(words('a', 'tea!'.repeat(100)));
    await talk.told('response.output_text.delta');
    return talk;
  };
  const quiet = new Talk(address, { headers });
  await quiet.told('session.created');
  const talk = await answering();
  const exited = service.kill('SIGTERM');
  expect(await quiet.closed()).toMatchObject({ code: 1001 });
  vendor.sockets.at(-1)!.send(done('a', { input_tokens: 10, output_tokens: 20 }));
  await talk.told('response.done');
  expect(await talk.closed()).toMatchObject({ code: 1001 });
  expect(await exited).toBe(0);
  await service.restart();
  expect(await service.self(user)).toMatchObject({ used_quota: 30 * perToken });
  await answering();
  const kept = new Database(join(service.dataDir, 'svc.db'), { readonly: true });
  const noted = kept.query('select 1 from billing_holds where progress > 0');
  await until('its progress is written', () => noted.get() !== null);
  kept.close();
  await service.kill('SIGKILL');
  await service.restart();
  await settled(user, 2);
  expect((await logsOf(user)).logs[0]).toMatchObject({
    status: 'interrupted',
    completion_tokens: 100,
    estimated: true,
  });
  expect(await service.self(user)).toMatchObject({ used_quota: 130 * perToken, quota: 10_000_000 - 130 * perToken });
  await vendor.close();
});
