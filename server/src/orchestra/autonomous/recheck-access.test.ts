import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { scriptedUpstream } from '../../relay/scripted-upstream.fixture.ts';

/** The whole service: runs with real keys, of users that are disabled, on SQLite or on PostgreSQL and Redis. */
let service: TestApp;
let root: Member;
const clock = manualClock(Date.now());
/** Calls that reached the upstream, each held until `go`. */
const calls: { model: string; go: () => void }[] = [];
let holding = true;
const upstream = scriptedUpstream(async ({ body }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { model, stream } = body as { model: string; stream?: boolean };
  calls.push({ model, go: resolve });
  if (holding) await promise;
  return said(wordsFor(JSON.stringify(body)), model, stream === true);
});

function wordsFor(asked: string): string {
  if (asked.includes('Judge whether the goal is reached')) return JSON.stringify({ confidence: 0.95, missing: [] });
  if (asked.includes('Judge how well the result')) return JSON.stringify({ score: 0.9, feedback: 'fine' });
  return 'an answer';
}

function said(content: string, model: string, stream: boolean): Response {
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  const head = { id: 'c', created: 1, model, usage };
  if (!stream) {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    return Response.json({ ...head, object: 'chat.completion', choices });
  }
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }];
  const chunk = JSON.stringify({ ...head, object: 'chat.completion.chunk', choices });
  return new Response(`data: ${chunk}\n\ndata: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}

beforeAll(async () => {
  service = await openTestApp({ clock, env: { DEMO_PROVIDER: 'off' } });
  await service.setOption('RateLimitEnabled', false);
  await service.app.start();
  root = await service.root();
  const channel = { name: 'Scripted', kind: 'openai', provider: 'scripted', base_url: upstream.url };
  const made = await root.call('/api/admin/channels', { method: 'POST', body: channel });
  const { id } = ((await made.json()) as { data: { id: number } }).data;
  for (const name of ['one', 'two'])
    await root.call('/api/admin/provider-models', {
      method: 'POST',
      body: { model_id: `scripted/${name}`, model_name: name, channel_id: id, type: 'chat' },
    });
});
afterAll(async () => {
  holding = false;
  for (const { go } of calls) go();
  await service.close();
  await upstream.close();
});

interface Worker {
  member: Member;
  key: string;
  keyId: number;
}

async function worker(fields: Record<string, unknown> = {}): Promise<Worker> {
  const member = await service.user();
  const key = await member.key(fields);
  const listed = (await (await member.call('/api/tokens')).json()) as { data: { id: number }[] };
  return { member, key, keyId: listed.data[0]!.id };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
const api = async (key: string, path: string, body?: unknown): Promise<any> => {
  const headers = { authorization: `Bearer ${key}` };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body };
  return (await service.call(`/api/svc-ms/autonomous${path}`, init)).json();
};

const all = ['svc/svc-ms', 'scripted/one', 'scripted/two'];
const put = (member: Member, path: string, body: unknown) => member.call(path, { method: 'PUT', body });

/** What happens to the one who began the run, and why the run then pauses. */
const ends: Record<
  string,
  { act(worker: Worker): Promise<unknown>; reason: string; fields?: Record<string, unknown> }
> = {
  'the key is deleted': {
    act: ({ member, keyId }) => member.call(`/api/tokens/${keyId}`, { method: 'DELETE' }),
    reason: 'key_revoked',
  },
  'the key is disabled': {
    act: ({ member, keyId }) => put(member, `/api/tokens/${keyId}`, { status: 2 }),
    reason: 'key_revoked',
  },
  'the key expires': {
    act: async () => clock.advance(120_000),
    reason: 'key_revoked',
    fields: { expired_time: 0 },
  },
  'the key no longer allows the engine': {
    act: ({ member, keyId }) => put(member, `/api/tokens/${keyId}`, { models: ['scripted/one'] }),
    reason: 'model_not_allowed',
  },
  'the key no longer allows any chat model': {
    act: ({ member, keyId }) => put(member, `/api/tokens/${keyId}`, { models: ['svc/svc-ms'] }),
    reason: 'model_not_allowed',
  },
  'the user is disabled': {
    act: ({ member }) => put(root, `/api/admin/users/${member.id}`, { status: 2 }),
    reason: 'user_disabled',
  },
};

describe('a run pauses before its next call', () => {
  test.each(Object.entries(ends))('when %s, and continues with a valid key', async (_name, { act, reason, fields }) => {
    const expired_time = fields ? Math.floor(clock.nowMs() / 1000) + 60 : -1;
    const begun = await worker({ models: all, expired_time });
    const first = calls.length;
    const { session_id } = await api(begun.key, '/execute', { message: 'What is the capital of France?' });
    await until('the first call is under way', () => calls.length > first);
    await act(begun);
    const before = calls.length;
    for (const { go } of calls.slice(first)) go();
    const runs = () =>
      service.platform.database.db
        .selectFrom('ms_runs')
        .select(['status', 'reason', 'checkpoints'])
        .where('user_id', '=', begun.member.id)
        .executeTakeFirstOrThrow();
    await until('the run has paused', async () => (await runs()).status !== 'running');
    expect(await runs()).toMatchObject({ status: 'paused', reason });
    expect((await runs()).checkpoints).toBeGreaterThan(0);
    expect(calls.length).toBe(before);

    await put(root, `/api/admin/users/${begun.member.id}`, { status: 1 });
    const login = await service.call('/api/user/login', {
      method: 'POST',
      body: { username: begun.member.username, password: 'a fine password' },
    });
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    const fresh = await service.call('/api/tokens', { method: 'POST', headers: { cookie }, body: { name: 'new' } });
    const { key } = ((await fresh.json()) as { data: { key: string } }).data;
    const { data } = await api(key, `/${session_id}/checkpoints`);
    holding = false;
    const ended = await api(key, '/resume', {
      session_id,
      checkpoint_id: data.checkpoints.at(-1).checkpoint_id,
      stream_events: false,
    });
    holding = true;
    expect(ended.status).toBe('completed');
  });
});

/** What ends the access of whoever follows a run's events, by key or by session. */
const losses: Record<string, { by: 'key' | 'session'; act(worker: Worker): Promise<unknown> }> = {
  'the key is deleted': { by: 'key', act: ends['the key is deleted']!.act },
  'the key gets another secret': {
    by: 'key',
    act: ({ member, keyId }) =>
      member.call(`/api/tokens/${keyId}/rotate`, { method: 'POST', body: { overlap_seconds: 0 } }),
  },
  'the key is for other addresses': {
    by: 'key',
    act: ({ member, keyId }) => put(member, `/api/tokens/${keyId}`, { allowed_ips: ['203.0.113.0/24'] }),
  },
  'the user logs out': { by: 'session', act: ({ member }) => member.call('/api/user/logout', { method: 'POST' }) },
  'the password is changed elsewhere': {
    by: 'session',
    act: async ({ member }) => {
      const body = { username: member.username, password: 'a fine password' };
      const entered = await service.call('/api/user/login', { method: 'POST', body });
      const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
      const change = { password: 'another fine password', current_password: body.password };
      return service.call('/api/user/self', { method: 'PUT', body: change, headers: { cookie } });
    },
  },
  'an administrator ends the session': {
    by: 'session',
    act: ({ member }) => root.call(`/api/admin/users/${member.id}/sessions`, { method: 'DELETE' }),
  },
};

test('a stream of events ends with the key or session that opened it', async () => {
  const open = await Promise.all(
    Object.entries(losses).map(async ([name, { by, act }]) => {
      const begun = await worker({ models: all });
      const { session_id } = await api(begun.key, '/execute', { message: 'What is the capital of France?' });
      const headers: Record<string, string> =
        by === 'key' ? { authorization: `Bearer ${begun.key}` } : { cookie: begun.member.cookie };
      const stream = await service.call(`/api/svc-ms/autonomous/${session_id}/events`, { headers });
      expect([name, stream.status]).toEqual([name, 200]);
      const ended = { name, over: false };
      void stream.text().then(() => {
        ended.over = true;
      });
      return { begun, act, ended };
    }),
  );
  await Bun.sleep(2_500);
  // Looking whether access is left does not end it.
  expect(open.filter(({ ended }) => ended.over)).toEqual([]);
  for (const { begun, act } of open) expect(await act(begun)).toMatchObject({ status: 200 });
  const left = () => open.filter(({ ended }) => !ended.over).map(({ ended }) => ended.name);
  await until('the streams have ended', () => left().length === 0).catch(() => expect(left()).toEqual([]));
}, 60_000);

test('a run whose key is restricted continues with the remaining models', async () => {
  const begun = await worker({ models: all });
  const first = calls.length;
  const { session_id } = await api(begun.key, '/execute', { message: 'What is the capital of France?' });
  await until('the first call is under way', () => calls.length > first);
  // The one for tasks, so that what judges them has to change.
  const left = calls[first]!.model;
  await put(begun.member, `/api/tokens/${begun.keyId}`, { models: ['svc/svc-ms', `scripted/${left}`] });
  holding = false;
  for (const { go } of calls.slice(first)) go();
  await until('the run has ended', async () => (await api(begun.key, `/${session_id}/status`)).status === 'completed');
  holding = true;
  expect(calls.slice(first + 1).length).toBeGreaterThan(0);
  expect(new Set(calls.slice(first + 1).map(({ model }) => model))).toEqual(new Set([left]));
});

test('a chat turn with several calls ends if its key is deleted between them', async () => {
  const begun = await worker({ models: all });
  const first = calls.length;
  const answer = service.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${begun.key}` },
    body: {
      model: 'svc/svc-ms',
      messages: [{ role: 'user', content: '1. Research the market\n2. Write a summary\n3. Propose a name' }],
    },
  });
  await until('the planner is asked', () => calls.length > first);
  await begun.member.call(`/api/tokens/${begun.keyId}`, { method: 'DELETE' });
  const before = calls.length;
  for (const { go } of calls.slice(first)) go();
  const response = await answer;
  expect(response.status).toBe(401);
  expect(calls.length).toBe(before);
});
