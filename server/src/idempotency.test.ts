import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CallInit, type Member, openTestApp, type TestApp } from './app.fixture.ts';
import { buildApp } from './app.ts';
import { grantCredits } from './billing/store/ledger.ts';
import { manualClock } from './lib/clock.ts';
import { forget } from './platform/idempotency/store.ts';
import { openLog } from './platform/log.ts';
import { openPlatform } from './platform/open.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let t: TestApp;
let root: Member;
let user: Member;
/** Another process of the same service, where the database allows one; else the same. */
let other: { call: TestApp['call']; close(): Promise<void> };

beforeAll(async () => {
  t = await openTestApp({ clock, env: { DEMO_PROVIDER: 'on' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  user = await t.user();
  other = await secondProcess();
});
afterAll(async () => {
  await other.close();
  await t.close();
});

async function secondProcess(): Promise<typeof other> {
  if (t.platform.database.engine === 'sqlite') return { call: t.call, close: async () => {} };
  const platform = await openPlatform(t.config, openLog('silent'), clock);
  const app = await buildApp(platform, t.config);
  const call = async (path: string, init: CallInit = {}) =>
    app.fetch(
      new Request(new URL(path, t.config.baseUrl), {
        method: init.method,
        headers: { 'content-type': 'application/json', ...init.headers },
        body: init.body === undefined ? undefined : JSON.stringify(init.body),
      }),
    );
  return {
    call,
    close: async () => {
      await app.stop();
      await platform.close();
    },
  };
}

const post = (by: Member, path: string, body: unknown, key?: string, via: TestApp['call'] = t.call) =>
  via(path, {
    method: 'POST',
    body,
    headers: { cookie: by.cookie, ...(key !== undefined && { 'idempotency-key': key }) },
  });
const credits = (userId: number) => `/api/admin/users/${userId}/credits`;
const creditsOf = (userId: number) =>
  t.platform.database.db
    .selectFrom('credits')
    .selectAll()
    .where('user_id', '=', userId)
    .where('actor_id', '=', root.id);
let keys = 0;
const freshKey = (): string => {
  keys += 1;
  return `key ${keys}`;
};

const newChannel = async (): Promise<number> => {
  const body = { name: 'C', kind: 'openai', base_url: 'https://c.example/v1', credential: 'sk-of-the-channel' };
  return ((await (await post(root, '/api/admin/channels', body)).json()) as { data: { id: number } }).data.id;
};

/** Every request that moves money or makes something, and how many there are now. */
const created: Record<string, { by: () => Member; path: () => Promise<string>; body: () => unknown; table: string }> = {
  credits: { by: () => root, path: async () => credits(user.id), body: () => ({ quota: 5 }), table: 'credits' },
  'invited accounts': {
    by: () => root,
    path: async () => '/api/admin/invitations',
    body: () => ({ username: `invited_${keys}`, quota: 5 }),
    table: 'users',
  },
  'API keys': { by: () => user, path: async () => '/api/tokens', body: () => ({ name: 'k' }), table: 'api_keys' },
  applications: {
    by: () => user,
    path: async () => '/api/oauth2/applications',
    body: () => ({ name: 'A', redirect_uris: ['https://a.example/cb'], scopes: 'openid' }),
    table: 'oauth_applications',
  },
  channels: {
    by: () => root,
    path: async () => '/api/admin/channels',
    body: () => ({
      name: 'C',
      kind: 'openai',
      base_url: 'https://c.example/v1',
      credential: 'sk-secret-of-the-channel',
    }),
    table: 'channels',
  },
  'MCP servers': {
    by: () => root,
    path: async () => '/api/mcp/servers',
    body: () => ({ name: `m${keys}`, url: 'https://m.example/mcp', headers: { 'x-key': 'sk-secret-of-the-server' } }),
    table: 'mcp_servers',
  },
  'provider models': {
    by: () => root,
    path: async () => '/api/admin/provider-models',
    body: () => ({ model_id: `c/${keys}`, channel_id: 1 }),
    table: 'provider_models',
  },
  'credentials of channels': {
    by: () => root,
    path: async () => `/api/admin/channels/${await newChannel()}/credentials`,
    body: () => ({ name: 'C', credential: 'sk-secret-of-the-channel' }),
    table: 'channel_credentials',
  },
  aliases: {
    by: () => root,
    path: async () => '/api/admin/model-aliases',
    body: () => ({ name: `alias-${keys}`, models: ['demo/chat'] }),
    table: 'model_aliases',
  },
  'keys of one’s own': {
    by: () => user,
    path: async () => {
      await newChannel();
      await t.setOption('OwnKeys', true);
      return '/api/routing/own-keys';
    },
    body: () => ({ provider: 'openai', name: 'Mine', credential: 'sk-secret-of-the-user' }),
    table: 'routing_own_keys',
  },
  presets: {
    by: () => user,
    path: async () => '/api/playground/presets',
    body: () => ({ name: `preset ${keys}`, prompt: 'Be brief.' }),
    table: 'playground_presets',
  },
  sessions: { by: () => user, path: async () => '/api/svc-ms/sessions', body: () => ({}), table: 'ms_sessions' },
  knowledge: {
    by: () => user,
    path: async () => '/api/svc-ms/knowledge',
    body: () => ({ category: 'fact', title: 'T', content: 'C' }),
    table: 'ms_knowledge',
  },
  runs: {
    by: () => user,
    path: async () => '/api/svc-ms/autonomous/execute',
    body: () => ({ message: 'Think of a word' }),
    table: 'ms_runs',
  },
};

async function count(table: string): Promise<number> {
  const { db } = t.platform.database;
  const row = await db
    .selectFrom(table as 'credits')
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

describe('the same key and request are processed once and answered the same', () => {
  test.each(Object.keys(created))('%s', async (name) => {
    const { by, path, body, table } = created[name]!;
    const [where, what, key] = [await path(), body(), freshKey()];
    const before = await count(table);
    const first = await post(by(), where, what, key);
    const second = await post(by(), where, what, key, other.call);
    expect(first.status).toBeLessThan(300);
    expect(second.status).toBe(first.status);
    expect(await second.text()).toBe(await first.text());
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    expect(await count(table)).toBe(before + 1);
    // Without a key each is another one, but for what can only be there once.
    const third = await post(by(), where, what);
    expect(await count(table)).toBe(before + (third.status === 409 ? 1 : 2));
  });
});

test('one of fifty concurrent requests grants, in two processes', async () => {
  const target = await t.user();
  for (let round = 0; round < 5; round += 1) {
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post(root, credits(target.id), { quota: 100 }, key, i % 2 ? t.call : other.call),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses).toContain(200);
    for (const answer of answers) if (answer.status === 409) expect(answer.headers.get('retry-after')).toBe('1');
    const bodies = await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect((await creditsOf(target.id).execute()).length).toBe(round + 1);
  }
  const self = (await (await target.call('/api/user/self')).json()) as { data: { quota: number } };
  expect(self.data.quota).toBe(500);
});

test('another body, path or user is refused', async () => {
  const key = freshKey();
  expect((await post(root, credits(user.id), { quota: 1 }, key)).status).toBe(200);
  const otherBody = await post(root, credits(user.id), { quota: 2 }, key);
  expect([otherBody.status, otherBody.headers.get('retry-after')]).toEqual([409, null]);
  expect(await otherBody.json()).toMatchObject({ success: false, message: expect.stringContaining('another request') });
  expect((await post(root, credits(root.id), { quota: 1 }, key)).status).toBe(409);
  expect((await post(root, '/api/tokens', { name: 'x' }, key)).status).toBe(409);
  expect((await post(user, '/api/tokens', { name: 'x' }, key)).status).toBe(200);
});

test('errors have the shape of their endpoint', async () => {
  const key = freshKey();
  const secret = await user.key();
  const video = (prompt: string) =>
    t.call('/v1/videos', {
      method: 'POST',
      body: { model: 'demo/video', prompt },
      headers: { authorization: `Bearer ${secret}`, 'idempotency-key': key },
    });
  const first = await video('waves');
  const second = await video('waves');
  expect([first.status, second.status]).toEqual([202, 202]);
  expect(await second.text()).toBe(await first.text());
  expect(await (await video('wind')).json()).toEqual({ error: { code: 409, message: expect.any(String) } });
  const application = { name: 'A', redirect_uris: ['https://a.example/cb'], scopes: 'openid' };
  expect(await (await post(user, '/api/oauth2/applications', application, key)).json()).toMatchObject({
    success: false,
    error: 'invalid_request',
  });
});

test.each(['', ' ', 'x'.repeat(256), 'é', 'tab\tbed'])('the key %j is rejected', async (key) => {
  expect((await post(root, credits(user.id), { quota: 1 }, key)).status).toBe(400);
});

test('a refusal is stored as a response; a validation error is not', async () => {
  const key = freshKey();
  expect((await post(root, credits(user.id), { quota: 'x' }, key)).status).toBe(400);
  expect((await post(root, credits(user.id), { quota: -1e12 }, key)).status).toBe(400);
  const again = await post(root, credits(user.id), { quota: -1e12 }, key);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([400, 'true']);
});

test('after a day the key is free again, and the table empty', async () => {
  const target = await t.user();
  const key = freshKey();
  await post(root, credits(target.id), { quota: 1 }, key);
  clock.advance(86_399_000);
  await post(root, credits(target.id), { quota: 1 }, key);
  expect((await creditsOf(target.id).execute()).length).toBe(1);
  clock.advance(1_000);
  await post(root, credits(target.id), { quota: 1 }, key);
  expect((await creditsOf(target.id).execute()).length).toBe(2);
  clock.advance(86_400_000);
  t.app.sweep();
  while ((await count('idempotency_keys')) > 0) await Bun.sleep(5);
});

test('killed between grant and response: a retry returns the grant that was made', async () => {
  const { db } = t.platform.database;
  const target = await t.user();
  const key = freshKey();
  // What a process leaves that dies at the worst moment: the key claimed, the credit given, no answer kept.
  const first = await post(root, credits(target.id), { quota: 40 }, key);
  const text = await first.text();
  await db.insertInto('owners').values({ id: 'dying', beats: 0 }).execute();
  await db.updateTable('idempotency_keys').set({ owner: 'dying', answer: '' }).where('key', '=', key).execute();
  expect((await post(root, credits(target.id), { quota: 40 }, key)).status).toBe(409);
  await db.deleteFrom('owners').where('id', '=', 'dying').execute();
  const again = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      post(root, credits(target.id), { quota: 40 }, key, i % 2 ? t.call : other.call),
    ),
  );
  const given = again.filter(({ status }) => status === 200);
  expect(given.length).toBeGreaterThan(0);
  for (const answer of given) expect(await answer.text()).toBe(text);
  expect((await creditsOf(target.id).execute()).length).toBe(1);
  // Even two attempts that both believe to be the only one.
  const grant = { userId: target.id, quota: 1, note: '', by: root.id, idempotencyId: 1_000_000 };
  const both = await Promise.all([grantCredits(db, grant, 1), grantCredits(db, grant, 1)]);
  expect(both[0]).toEqual(both[1]);
  expect((await creditsOf(target.id).execute()).length).toBe(2);
});

test('responses are stored encrypted, and deleted with their user', async () => {
  const member = await t.user();
  const made = (await (await post(member, '/api/tokens', { name: 'k' }, freshKey())).json()) as {
    data: { key: string };
  };
  const { db } = t.platform.database;
  const rows = () => db.selectFrom('idempotency_keys').selectAll().where('user_id', '=', member.id).execute();
  const stored = await rows();
  expect(stored[0]!.answer).toMatch(/^s1\./);
  expect(JSON.stringify(stored)).not.toContain(made.data.key.slice(3));
  await forget(db, member.id);
  expect(await rows()).toEqual([]);
});

/** Makes nothing, or says itself how often it may be repeated. */
const without = [
  '/api/user/register',
  '/api/user/login',
  '/api/user/logout',
  '/api/user/login/second-factor',
  '/api/user/totp',
  '/api/user/totp/confirm',
  '/api/user/recovery-codes',
  '/api/user/step-up',
  // The same twice is the same.
  '/api/mcp/servers/{id}/tools/{name}/approve',
  '/api/mcp/approvals/{id}',
  '/api/mcp/servers/{id}/authorize',
  '/api/mcp/servers/{id}/shared-sign-in',
  // The protocol has no such header: whether a tool may be called again, the tool says.
  '/mcp',
  '/mcp/svc',
  '/mcp/{server}',
  // A link works once, and a new one ends the one before.
  '/api/user/email/verification',
  '/api/user/email/verify',
  '/api/user/password/forgot',
  '/api/user/password/reset',
  '/api/admin/users/{id}/links',
  // A new secret ends the one before.
  '/api/user/spending/webhook-secret',
  // Keys are a user's, and here is none.
  '/scim/v2/Users',
  '/scim/v2/Groups',
  '/api/user/step-up/passkey/options',
  '/api/user/step-up/passkey',
  '/api/user/login/passkey/options',
  '/api/user/login/passkey',
  '/api/user/passkeys/options',
  '/api/user/passkeys',
  '/oauth2/authorize',
  '/api/oauth2/authorize',
  '/api/oauth2/authorize/opened',
  '/api/oauth2/authorize/silent',
  '/api/oauth2/device',
  '/api/oauth2/device_authorization',
  '/api/oauth2/par',
  '/api/oauth2/end_session',
  // Keys are a user's, and here is none.
  '/api/oauth2/register',
  '/api/oauth2/end_session/confirm',
  '/api/oauth2/userinfo',
  '/api/oauth2/token',
  '/api/oauth2/revoke',
  '/api/oauth2/introspect',
  '/api/oauth2/admin/applications/verify',
  '/api/oauth2/admin/applications/unverify',
  '/api/oauth2/admin/applications/suspend',
  '/api/oauth2/admin/applications/activate',
  '/api/admin/channels/{id}/test',
  '/api/admin/channels/{id}/credentials/{credential_id}/test',
  '/api/routing/own-keys/{id}/test',
  '/api/organisations/{id}/teams/{team_id}/own-keys/{key_id}/test',
  '/api/mcp/servers/{id}/test',
  '/api/admin/identity-providers/{id}/test',
  // A token that counts once, and the beginning of one.
  '/api/auth/link',
  '/api/invitations/look',
  '/api/invitations/accept',
  '/api/user/identities',
  '/api/svc-ms/autonomous/cancel',
  // What is there already is not made again.
  '/api/svc-ms/knowledge/import',
  '/v1/conversations/{conversation_id}',
  '/v1/responses/{response_id}/cancel',
  // Relayed: each has its own price, and a stream cannot be kept.
  '/v1/chat/completions',
  '/v1/completions',
  '/v2/chat',
  '/v1/messages',
  '/v1/messages/count_tokens',
  // Nothing is made by these, or what is made is large and made again at no cost.
  '/v1/files',
  '/v1/anthropic/files',
  '/v1/uploads/{upload_id}/parts',
  // Asked again they tell what they told.
  '/v1/uploads/{upload_id}/complete',
  '/v1/uploads/{upload_id}/cancel',
  '/v1/batches/{batch_id}/cancel',
  '/v1/messages/batches/{batch_id}/cancel',
  '/v1/responses',
  '/v1/responses/compact',
  '/v1/responses/input_tokens',
  '/v1beta/models/{model}:batchEmbedContents',
  '/v1beta/models/{model}:countTokens',
  '/v1beta/models/{model}:embedContent',
  '/v1beta/models/{model}:generateContent',
  '/v1beta/models/{model}:streamGenerateContent',
  '/v1/embeddings',
  '/v1/images/edits',
  '/v1/images/generations',
  '/v1/images/variations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/moderations',
  // Sealed, and kept nowhere.
  '/v1/realtime/client_secrets',
  '/v1/realtime/transcription_sessions',
  '/v1/rerank',
  // Each event has a name of its own, and is dealt with once.
  '/api/stripe/webhook',
  // Always refused.
  '/v1/realtime',
  '/v1/realtime/calls',
  '/v1/realtime/calls/{call_id}/{act}',
  '/v1/videos/{jobId}/remix',
  '/v2/embed',
  '/v2/rerank',
];

test('every other POST accepts a key', () => {
  const { paths } = t.app.document() as { paths: Record<string, { post?: { parameters?: { name: string }[] } }> };
  const takes = (path: string) =>
    paths[path]?.post?.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  const posts = Object.keys(paths).filter((path) => paths[path]!.post);
  expect(posts.filter((path) => !takes(path)).sort()).toEqual([...without].sort());
});
