import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hmacSha256Hex } from '../lib/hashing.ts';
import { until } from '../lib/until.fixture.ts';
import { mostOfUser } from './callbacks.ts';
import { callbackQueue } from './deps.ts';
import { localhostTls } from './localhost-tls.fixture.ts';
import { startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

let world: VideoTest;
let client: Client;
const upstream = startUpstream('openai');
const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

interface Seen {
  headers: Headers;
  body: string;
}

/** Answers with each status in turn, then with 204. */
function receiver(...statuses: number[]) {
  const seen: Seen[] = [];
  const server = Bun.serve({
    port: 0,
    tls: localhostTls,
    fetch: async (request) => {
      seen.push({ headers: request.headers, body: await request.text() });
      const status = statuses[seen.length - 1] ?? 204;
      return new Response(null, { status, headers: status === 302 ? { location: '/elsewhere' } : {} });
    },
  });
  return { url: `https://localhost:${server.port}/hook`, seen, stop: () => server.stop(true) };
}

beforeAll(async () => {
  // The receiver's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  world = await openVideoTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await addModel(world.root.call, upstream.url);
  client = await world.client(10_000_000);
});
afterAll(async () => {
  if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust;
  await world.close();
  upstream.stop();
});

const secretOf = async () => {
  const answer = (await (await client.call('/v1/videos/callback-secret')).json()) as { secret: string };
  return answer.secret;
};

function expectSigned({ headers, body }: Seen, secret: string, header = 'x-svc-signature'): void {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers.get(header)!)!;
  expect(v1).toBe(hmacSha256Hex(secret, `${t}.${body}`));
}

test('a callback that fails twice is delivered once more, signed', async () => {
  const hook = receiver(500, 302);
  const { id } = await client.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
  const done = await client.reach(id, 'completed');
  while (hook.seen.length < 3) await Bun.sleep(50);
  await Bun.sleep(2_500);
  expect(hook.seen).toHaveLength(3);
  const secret = await secretOf();
  for (const seen of hook.seen) {
    expectSigned(seen, secret);
    expect(seen.headers.get('x-svc-idempotency-key')).toBe(`${id}-completed`);
    expect(seen.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(seen.body)).toEqual({
      type: 'video.generation.completed',
      created_at: expect.any(Number),
      data: {
        id,
        generation_id: done.generation_id,
        status: 'completed',
        model: 'films/one',
        unsigned_urls: done.unsigned_urls,
        usage: { cost: 0.4 },
      },
    });
  }
  await hook.stop();
});

test('callbacks are sent for every final status', async () => {
  const hook = receiver();
  upstream.script = { status: 'failed', error: 'no' };
  const failed = await client.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
  while (hook.seen.length < 1) await Bun.sleep(20);
  upstream.script = { status: 'in_progress' };
  const cancelled = await client.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
  await client.call(`/v1/videos/${cancelled.id}`, { method: 'DELETE' });
  while (hook.seen.length < 2) await Bun.sleep(20);
  const [first, second] = hook.seen.map((seen) => JSON.parse(seen.body));
  expect(first).toMatchObject({ type: 'video.generation.failed', data: { id: failed.id, error: 'no' } });
  expect(second).toMatchObject({ type: 'video.generation.cancelled', data: { id: cancelled.id, status: 'cancelled' } });
  expect(Object.keys(second.data).sort()).toEqual(['generation_id', 'id', 'model', 'status']);
  await hook.stop();
});

test('a receiver that never responds occupies few delivery slots and does not block others', async () => {
  let open = 0;
  let mostOpen = 0;
  const silent = Bun.serve({
    ...{ port: 0, tls: localhostTls, idleTimeout: 0 },
    fetch: ({ signal }) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      signal.addEventListener('abort', () => {
        open -= 1;
      });
      return new Promise<Response>(() => {});
    },
  });
  const callback_url = `https://localhost:${silent.port}/hook`;
  upstream.script = { status: 'completed' };
  const slow = await world.client(10_000_000);
  const films = Array.from({ length: 10 }, () => slow.create({ model: 'films/one', prompt: 'x', callback_url }));
  await Promise.all(films);
  await until('all are to be told', async () => (await world.test.platform.jobs.depth())[callbackQueue]! >= 10);
  const hook = receiver();
  await client.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
  await until('the other is told', () => hook.seen.length === 1);
  expect(mostOpen).toBeGreaterThan(0);
  expect(mostOpen).toBeLessThanOrEqual(mostOfUser);
  await hook.stop();
  await silent.stop(true);
});

test('each user has their own stable secret', async () => {
  const other = await world.client();
  const theirs = ((await (await other.call('/v1/videos/callback-secret')).json()) as { secret: string }).secret;
  expect(await secretOf()).toBe(await secretOf());
  expect(theirs).toMatch(/^vcs_[0-9a-f]{64}$/);
  expect(theirs).not.toBe(await secretOf());
});

test('what an application ordered is signed with the secret of the application', async () => {
  const application = await world.client(10_000_000);
  const { db } = world.test.platform.database;
  await db.updateTable('api_keys').set({ application_id: 77 }).where('user_id', '=', application.member.id).execute();
  const answer = await application.call('/v1/videos/callback-secret');
  const { secret } = (await answer.json()) as { secret: string };
  const hook = receiver();
  upstream.script = { status: 'failed', error: 'no' };
  await application.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
  await until('it is told', () => hook.seen.length > 0);
  expectSigned(hook.seen[0]!, secret);
  const authorization = `Bearer ${await application.member.key()}`;
  const users = await application.call('/v1/videos/callback-secret', { headers: { authorization } });
  expect(((await users.json()) as { secret: string }).secret).not.toBe(secret);
  await hook.stop();
});

test('a rotated secret signs immediately, together with the previous one for the given time', async () => {
  const before = await secretOf();
  const rotate = async (overlap_seconds: number) => {
    const answer = await client.call('/v1/videos/callback-secret/rotate', {
      method: 'POST',
      body: { overlap_seconds },
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { secret: string; previous: { ends_at: number } | null };
  };
  const rotated = await rotate(600);
  expect(rotated.secret).toMatch(/^vcs_[0-9a-f]{64}$/);
  expect(rotated.previous!.ends_at).toBeGreaterThan(Date.now() / 1000 + 500);
  expect([rotated.secret, await secretOf()]).toEqual([await secretOf(), rotated.secret]);
  expect(rotated.secret).not.toBe(before);

  const hook = receiver();
  upstream.script = { status: 'failed', error: 'no' };
  const signedNext = async () => {
    const told = hook.seen.length;
    await client.create({ model: 'films/one', prompt: 'x', callback_url: hook.url });
    await until('it is told', () => hook.seen.length > told);
    return hook.seen.at(-1)!;
  };
  const during = await signedNext();
  expectSigned(during, rotated.secret);
  expectSigned(during, before, 'x-svc-signature-previous');

  const last = await rotate(0);
  expect(last.previous).toBeNull();
  const after = await signedNext();
  expectSigned(after, last.secret);
  expect(after.headers.get('x-svc-signature-previous')).toBeNull();
  await hook.stop();
});

test('a public service does not call private addresses', async () => {
  const open = await openVideoTest({ env: { BASE_URL: 'http://localhost:3000' } });
  const caller = await open.client();
  const literal = await caller.call('/v1/videos', {
    method: 'POST',
    body: { model: 'demo/video', prompt: 'x', callback_url: 'https://127.0.0.1/hook' },
  });
  expect(literal.status).toBe(400);
  const hook = receiver();
  const { id } = await caller.create({ model: 'demo/video', prompt: 'x', callback_url: hook.url });
  await caller.call(`/v1/videos/${id}`, { method: 'DELETE' });
  const triesOf = () =>
    open.test.platform.database.db
      .selectFrom('video_jobs')
      .select(['callback_tries', 'called_back_at_ms'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  while ((await triesOf()).callback_tries === 0) await Bun.sleep(20);
  expect(hook.seen).toEqual([]);
  expect((await triesOf()).called_back_at_ms).toBe(0);
  await open.close();
  await hook.stop();
});
