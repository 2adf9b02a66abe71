import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';
import { until as untilSo } from '../lib/until.fixture.ts';

// The built-in provider takes its time over a video, as a real one would.
setDefaultTimeout(120_000);

const password = 'a fine password';
let service: TestApp;

beforeAll(async () => {
  service = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  await service.app.start();
  await service.setOption('RateLimitEnabled', false);
});
afterAll(() => service.close());

interface Export {
  user_id: number;
  [room: string]: unknown;
}

const exportOf = async (member: Member): Promise<{ text: string; data: Export }> => {
  const answer = await member.call('/api/user/self/export');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  const text = await answer.text();
  return { text, data: JSON.parse(text) };
};
const part = (data: Export, room: string, name: string): Record<string, unknown>[] =>
  (data[room] as Record<string, Record<string, unknown>[]>)[name]!;

const until = (holds: () => Promise<boolean>) => untilSo('it is so', holds);

const rows = async (table: string, column: string, userId: number): Promise<number> => {
  const found = await service.platform.database.db
    .selectFrom(table as 'users')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where(column as 'id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(found.n);
};

/** Somebody with something in every room. */
async function livedIn(): Promise<{ member: Member; key: string; clientId: string; videoBlobs: string[] }> {
  const member = await service.user();
  await member.call('/api/user/self', {
    method: 'PUT',
    body: { email: 'someone@example.org', display_name: 'Someone' },
  });
  const key = await member.key();
  const bearer = { authorization: `Bearer ${key}` };
  const made = await member.call('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'Mine', redirect_uris: ['https://app.example.org/cb'], scopes: 'openid email' },
  });
  const application = ((await made.json()) as { data: { id: number; client_id: string } }).data;
  const approved = await member.call('/api/oauth2/authorize', {
    method: 'POST',
    body: {
      client_id: application.client_id,
      redirect_uri: 'https://app.example.org/cb',
      response_type: 'code',
      scope: 'openid email',
      state: 's',
      approved: true,
    },
  });
  expect(approved.status).toBe(200);
  const chat = await service.call('/v1/chat/completions', {
    method: 'POST',
    headers: bearer,
    body: { model: 'svc/svc-ms', messages: [{ role: 'user', content: 'My secret garden is in Utrecht.' }] },
  });
  expect(chat.status).toBe(200);
  await member.call('/api/svc-ms/knowledge', {
    method: 'POST',
    body: { category: 'fact', title: 'Garden', content: 'It is in Utrecht.', keywords: ['garden'] },
  });
  const conversation = await service.call('/v1/conversations', {
    method: 'POST',
    headers: bearer,
    body: { items: [{ role: 'user', content: 'The garden has a gate.' }] },
  });
  expect(conversation.status).toBe(200);
  const form = new FormData();
  form.append('file', new Blob(['# Tulips\n\nThey grow in Utrecht.']), 'tulips.md');
  const imported = await member.call('/api/svc-ms/knowledge/import', {
    method: 'POST',
    headers: { 'x-svc-web': '1' },
    body: form,
  });
  expect(imported.status).toBe(202);
  await until(async () => {
    const { data } = (await (await member.call('/api/svc-ms/knowledge/sources')).json()) as {
      data: { sources: { state: string; entries: number }[] };
    };
    return data.sources[0]!.state === 'ready' && data.sources[0]!.entries === 1;
  });
  const said = { id: 'u1', role: 'user', content: 'The garden has a pond.' };
  const pond = { columns: [{ id: 'c1', model: 'demo/chat' }], settings: {}, entries: [said] };
  const kept = { method: 'PUT', body: { version: 0, content: pond } };
  expect((await member.call('/api/playground/chats/pond', kept)).status).toBe(201);
  const preset = { name: 'Gardener', prompt: 'Speak of gardens.' };
  expect((await member.call('/api/playground/presets', { method: 'POST', body: preset })).status).toBe(201);
  await member.call('/api/routing/preferences', { method: 'PUT', body: { default_strategy: 'balanced' } });
  const video = await service.call('/v1/videos', {
    method: 'POST',
    headers: bearer,
    body: { model: 'demo/video', prompt: 'a garden' },
  });
  expect(video.status).toBe(202);
  const { id } = (await video.json()) as { id: string };
  await until(async () => {
    const job = await service.call(`/v1/videos/${id}`, { headers: bearer });
    return ((await job.json()) as { status: string }).status === 'completed';
  });
  const stored = await service.platform.database.db
    .selectFrom('video_jobs')
    .select('results')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { member, key, clientId: application.client_id, videoBlobs: JSON.parse(stored.results) };
}

test('the export contains data of every module and no secrets', async () => {
  const { member, key } = await livedIn();
  await until(async () => part((await exportOf(member)).data, 'billing', 'usage_logs').length > 0);
  const { text, data } = await exportOf(member);
  expect(data.user_id).toBe(member.id);
  expect(part(data, 'identity', 'account')[0]).toMatchObject({ email: 'someone@example.org' });
  expect(part(data, 'identity', 'api_keys')).toHaveLength(1);
  expect(part(data, 'oauth', 'applications')[0]).toMatchObject({ name: 'Mine' });
  expect(part(data, 'oauth', 'consents')[0]).toMatchObject({ name: 'Mine' });
  expect(
    part(data, 'orchestra', 'messages')
      .map((row) => row.message)
      .join(),
  ).toContain('secret garden');
  expect(part(data, 'orchestra', 'knowledge')[0]).toMatchObject({ title: 'Garden' });
  expect(part(data, 'orchestra', 'sources')[0]).toMatchObject({ name: 'tulips.md', state: 'ready' });
  expect(part(data, 'routing', 'preferences')).toHaveLength(1);
  expect(part(data, 'playground', 'chats')[0]!.content).toContain('a pond');
  expect(part(data, 'playground', 'presets')[0]).toMatchObject({ name: 'Gardener', prompt: 'Speak of gardens.' });
  expect(part(data, 'responses', 'conversations')).toHaveLength(1);
  expect(part(data, 'responses', 'items')[0]!.body).toContain('a gate');
  expect(part(data, 'video', 'jobs')[0]).toMatchObject({ status: 'completed' });
  for (const secret of [key, 'password_hash', 'key_hash', 'secret_hash', 'webhook_secret', 'access_hash', 'token_hash'])
    expect(text).not.toContain(secret);
});

test('a long history is exported completely, page by page', async () => {
  const member = await service.user();
  const count = 1_203;
  const row = {
    user_id: member.id,
    key_id: 0,
    model_id: 'm',
    endpoint: '/v1/chat/completions',
    provider: 'p',
    channel_id: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    units: 0,
    quota: 0,
    shortfall: 0,
    balance_after: 0,
    stream: 0,
    status: 'ok',
    duration_ms: 1,
    first_token_ms: 0,
  };
  // Many within one second, so that pages end in the middle of one.
  const rows = Array.from({ length: count }, (_, i) => ({
    ...row,
    request_id: `req_${member.id}_${i}`,
    created_at: 1_700_000_000 + Math.floor(i / 700),
  }));
  for (let i = 0; i < count; i += 100)
    await service.platform.database.db
      .insertInto('usage_logs')
      .values(rows.slice(i, i + 100))
      .execute();
  const { data } = await exportOf(member);
  const ids = part(data, 'billing', 'usage_logs').map((log) => log.request_id);
  expect(ids).toHaveLength(count);
  expect(new Set(ids).size).toBe(count);
});

test("the export requires a session and contains no other user's data", async () => {
  expect((await service.call('/api/user/self/export')).status).toBe(401);
  const [one, other] = [await service.user(), await service.user()];
  expect((await exportOf(one)).text).not.toContain(other.username);
});

test('deleting an account removes it everywhere, and the ledger still adds up', async () => {
  const { member, key, clientId, videoBlobs } = await livedIn();
  const root = await service.root();
  const credits = { quota: 1000, note: 'for Someone' };
  await root.call(`/api/admin/users/${member.id}/credits`, { method: 'POST', body: credits });
  await until(async () => part((await exportOf(member)).data, 'billing', 'usage_logs').length > 0);
  const used = await rows('usage_logs', 'user_id', member.id);
  const ownKey = {
    provider: 'acme',
    name: 'Mine',
    credential: '',
    fallback: 0,
    status: 1,
    created_at: 1,
    updated_at: 1,
  };
  await service.platform.database.db
    .insertInto('routing_own_keys')
    .values({ ...ownKey, user_id: member.id })
    .execute();
  const { data: keys } = (await (await member.call('/api/tokens')).json()) as { data: [{ id: number }] };
  const limited = await member.call(`/api/tokens/${keys[0].id}/limit`, { method: 'PUT', body: { amount: 1_000_000 } });
  expect(limited.status).toBe(200);
  await member.call('/api/user/spending/month', { method: 'PUT', body: { amount: 1000 } });
  await root.call(`/api/admin/users/${member.id}/factors`, { method: 'DELETE' });
  // No consent tells of a device that was denied.
  const denied = { device_hash: 'd', user_code_hash: 'u', application_id: 1, scope: 'openid', openid: 0, epoch: 0 };
  await service.platform.database.db
    .insertInto('oauth_device_codes')
    .values({ ...denied, interval_seconds: 5, user_id: member.id, approved: 0, created_at: 1, expires_at: 2 ** 40 })
    .execute();

  const answer = await member.call('/api/user/self', { method: 'DELETE', body: { password } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await member.call('/api/user/self')).status).toBe(401);
  const chat = { model: 'demo/chat', messages: [{ role: 'user', content: 'hi' }] };
  const withKey = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: chat };
  expect((await service.call('/v1/chat/completions', withKey)).status).toBe(401);
  const login = { method: 'POST', body: { username: member.username, password } };
  expect((await service.call('/api/user/login', login)).status).toBe(401);

  const personal = [
    'kept_conversations',
    'playground_chats',
    'playground_presets',
    'kept_items',
    'ms_sessions',
    'ms_knowledge',
    'ms_sources',
    'ms_documents',
    'ms_vectors',
    'ms_patterns',
    'video_jobs',
    'api_keys',
  ];
  await until(async () => {
    const more = [
      'routing_preferences',
      'routing_own_keys',
      'routing_decisions',
      'oauth_consents',
      'oauth_codes',
      'oauth_device_codes',
      'user_notices',
    ];
    if ((await rows('organisations', 'keys_of', member.id)) > 0) return false;
    if ((await rows('organisations', 'person_id', member.id)) > 0) return false;
    for (const table of [...personal, ...more]) if ((await rows(table, 'user_id', member.id)) > 0) return false;
    return true;
  });
  expect(videoBlobs.length).toBeGreaterThan(0);
  for (const blob of videoBlobs) expect(await service.platform.blobs.stat(blob)).toBeNull();
  const asked = `/api/oauth2/authorize?client_id=${clientId}&redirect_uri=https%3A%2F%2Fapp.example.org%2Fcb&response_type=code&scope=openid`;
  expect((await root.call(asked)).status).toBe(404);

  const listed = await root.call(`/api/admin/users?q=deleted-${member.id}`);
  const { data } = (await listed.json()) as { data: { users: Record<string, unknown>[] } };
  expect(data.users[0]).toMatchObject({ id: member.id, email: '', status: 2, display_name: `deleted-${member.id}` });
  expect(await rows('usage_logs', 'user_id', member.id)).toBe(used);
  await until(async () => {
    const credits = await service.platform.database.db
      .selectFrom('credits')
      .select(['amount', 'note'])
      .where('user_id', '=', member.id)
      .execute();
    return credits.length === 1 && credits[0]!.amount === 1000 && credits[0]!.note === '';
  });
});

test('the queued job finishes a deletion interrupted by a crash', async () => {
  const member = await service.user();
  // As after a kill between the two steps: queued, and nothing closed yet.
  await service.platform.jobs.enqueue('accounts.delete', { userId: member.id });
  await until(async () => (await member.call('/api/user/self')).status === 401);
});

test('audit entries of a deleted user are kept without IP address and user agent', async () => {
  const { member } = await livedIn();
  await until(async () => (await rows('audit_log', 'actor_id', member.id)) > 0);
  await member.call('/api/user/self', { method: 'DELETE', body: { password } });
  await until(async () => {
    const left = await service.platform.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('actor_id', '=', member.id)
      .execute();
    return left.length > 0 && left.every((row) => row.ip === '' && row.user_agent === '' && !row.state_after);
  });
});

test('a deleted username can be registered again, and taking the placeholder name does not block the deletion', async () => {
  const squatter = await service.user();
  const member = await service.user();
  const squatted = { username: `deleted-${member.id}`, password };
  expect((await service.call('/api/user/register', { method: 'POST', body: squatted })).status).toBe(200);
  expect((await member.call('/api/user/self', { method: 'DELETE', body: { password } })).status).toBe(200);
  const again = { username: member.username, password };
  expect((await service.call('/api/user/register', { method: 'POST', body: again })).status).toBe(200);
  expect((await squatter.call('/api/user/self')).status).toBe(200);
});

test('deletion with a wrong or missing password is rejected', async () => {
  const member = await service.user();
  const remove = (body: unknown) => member.call('/api/user/self', { method: 'DELETE', body });
  expect((await remove({ password: 'not this one' })).status).toBe(400);
  expect((await remove({})).status).toBe(400);
  expect((await member.call('/api/user/self')).status).toBe(200);
  // Guessing is throttled like logins are.
  for (let i = 0; i < 10; i += 1) await remove({ password: `guess ${i}` });
  expect((await remove({ password })).status).toBe(429);
});

test('administrators can delete only lower roles, and root cannot be deleted', async () => {
  const root = await service.root();
  const [admin, peer, user] = [await service.user(), await service.user(), await service.user()];
  for (const { id } of [admin, peer]) await root.call(`/api/admin/users/${id}`, { method: 'PUT', body: { role: 10 } });
  const remove = (by: Member, id: number) => by.call(`/api/admin/users/${id}`, { method: 'DELETE' });
  expect((await remove(user, peer.id)).status).toBe(403);
  expect((await remove(admin, peer.id)).status).toBe(403);
  expect((await remove(admin, root.id)).status).toBe(403);
  expect((await remove(root, root.id)).status).toBe(403);
  expect((await remove(admin, 999_999)).status).toBe(404);
  expect((await remove(admin, user.id)).status).toBe(200);
  expect((await user.call('/api/user/self')).status).toBe(401);
  const own = await root.call('/api/user/self', { method: 'DELETE', body: { password: rootPassword } });
  expect(own.status).toBe(403);
  expect((await root.call('/api/user/self')).status).toBe(200);
});
