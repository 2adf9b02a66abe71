import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CompiledQuery } from 'kysely';
import { type CallInit, type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { openLog } from '../platform/log.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { openStorageQuota } from '../platform/storage-quota/storage-quota.ts';
import { readSum } from '../platform/storage-quota/store.ts';

const clock = manualClock(Date.now());
const mebibyte = 1024 * 1024;
let service: TestApp;
let member: Member;
let key: string;

beforeAll(async () => {
  service = await openTestApp({ clock, env: { DEMO_PROVIDER: 'on' } });
  await service.setOption('RateLimitEnabled', false);
  await service.setOption('KeptPerUserMebibytes', 1);
  await service.app.start();
  member = await service.user();
  key = await member.key();
});
afterAll(() => service.close());

const send = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  service.call(path, {
    method,
    body: body as CallInit['body'],
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
const upload = (bytes: number) => {
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'a.bin');
  return send('/v1/files', form);
};
const inParts = (bytes: number) => ({ bytes, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' });
const db = () => service.platform.database.db;
const keptBy = async (by: Member, path: string) => {
  const answer = await by.call(path);
  return { status: answer.status, ...((await answer.json()) as { data?: Kept }).data };
};
interface Kept {
  bytes: number;
  most_bytes: number | null;
  parts: { name: string; bytes: number }[];
}
const part = (kept: Partial<Kept>, name: string) => kept.parts?.find((one) => one.name === name)?.bytes;

const hi = [{ role: 'user', content: 'hi' }];
const fact = { category: 'fact', title: 'A title', content: 'Some words.', keywords: [] };
const params = { model: 'demo/chat', max_tokens: 10, messages: hi };
const content = {
  ...{ columns: [{ id: 'c1', model: 'demo/chat' }], settings: {} },
  entries: [{ id: 'u1', role: 'user', content: 'Hi' }],
};
const openai = { error: { type: 'permission_error', code: 'storage_full' } };
const anthropic = { type: 'error', error: { type: 'permission_error' } };
const management = { success: false, code: 'storage_full' };

describe('an account that has used up its storage', () => {
  const file = { id: 'file-before', filename: 'before', purpose: 'user_data', blob: 'files/before', ready: 1 };
  beforeAll(async () => {
    // From before there were sums, so that the first write finds none.
    const row = { ...file, user_id: member.id, bytes: mebibyte, created_at: 0, expires_at: null };
    await db().insertInto('files').values(row).execute();
    await send('/v1/conversations', {});
    await until('what was there before is counted', async () => (await readSum(db(), member.id)).counted_at > 0);
  });

  test.each([
    ['/v1/responses', { model: 'demo/chat', input: 'hi', store: true }, openai],
    ['/v1/responses', { model: 'demo/chat', input: 'hi', background: true }, openai],
    ['/v1/conversations', {}, openai],
    ['/v1/uploads', inParts(10), openai],
    ['/v1/chat/completions', { model: 'svc/svc-ms', messages: hi }, openai],
    ['/v1/messages', { ...params, model: 'svc/svc-ms' }, anthropic],
    ['/v1/messages/batches', { requests: [{ custom_id: 'a', params }] }, anthropic],
    ['/api/svc-ms/knowledge', fact, management],
    ['/api/svc-ms/autonomous/execute', { message: 'Say hi.' }, management],
  ])("is rejected at %s in the endpoint's error format", async (path, body, shape) => {
    const answer = await send(path, body, { 'anthropic-version': '2023-06-01' });
    const told = await answer.json();
    expect([answer.status, told]).toMatchObject([403, shape]);
    expect(JSON.stringify(told)).toContain(
      'You have reached the storage limit of 1 MiB for your account. Delete responses',
    );
  });

  test('is rejected when saving files and chats, and per entry when importing', async () => {
    const answer = await upload(10);
    expect([answer.status, await answer.json()]).toMatchObject([403, openai]);
    const chat = await member.call('/api/playground/chats/one', { method: 'PUT', body: { version: 0, content } });
    expect([chat.status, await chat.json()]).toMatchObject([403, management]);
    const imported = await send('/api/svc-ms/knowledge/import', { entries: [fact] });
    expect(await imported.json()).toMatchObject({ data: { entries: [{ index: 0, status: 'refused' }] } });
  });

  test('gets answers that need no storage, marked as not stored', async () => {
    for (const stream of [false, true]) {
      const answer = await send('/v1/responses', { model: 'demo/chat', input: 'hi', stream });
      expect([answer.status, answer.headers.get('x-svc-left-out')]).toEqual([200, 'store']);
      expect(await answer.text()).toMatch(/"store":false/);
    }
    expect((await send('/v1/chat/completions', { model: 'demo/chat', messages: hi })).status).toBe(200);
  });

  test('sees its usage, as administrators do, and can store again after deleting', async () => {
    const own = await keptBy(member, '/api/user/self/kept');
    expect(own).toMatchObject({ status: 200, most_bytes: mebibyte });
    expect(part(own, 'files')).toBeGreaterThanOrEqual(mebibyte);
    expect(await keptBy(await service.root(), `/api/admin/users/${member.id}/kept`)).toEqual(own);
    expect((await keptBy(await service.root(), '/api/admin/users/999999/kept')).status).toBe(404);
    expect((await keptBy(member, `/api/admin/users/${member.id}/kept`)).status).toBe(403);

    expect((await send('/v1/files/file-before', undefined, {}, 'DELETE')).status).toBe(200);
    clock.advance(11_000);
    const answer = await send('/v1/responses', { model: 'demo/chat', input: 'hi', store: true });
    expect([answer.status, await answer.json()]).toMatchObject([200, { store: true }]);
    const responses = async () => part(await keptBy(member, '/api/user/self/kept'), 'responses');
    expect(await responses()).toBeGreaterThan(256);
    expect((await member.call('/api/user/self/kept/responses', { method: 'DELETE' })).status).toBe(200);
    await until('all responses are gone', async () => (await responses()) === 0);
  });
});

test('every module reports its storage usage', async () => {
  await service.setOption('KeptPerUserMebibytes', 5_000);
  const asked = [
    ['/v1/conversations', { items: [{ type: 'message', role: 'user', content: 'x'.repeat(5_000) }] }],
    ['/v1/messages/batches', { requests: [{ custom_id: 'a', params }] }],
    ['/v1/chat/completions', { model: 'svc/svc-ms', messages: [{ role: 'user', content: 'y'.repeat(6_000) }] }],
    ['/api/svc-ms/knowledge', { ...fact, content: 'z'.repeat(7_000) }],
    ['/v1/uploads', inParts(9_000)],
  ] as const;
  for (const [path, body] of asked) expect((await send(path, body)).status).toBeLessThan(300);
  expect((await upload(8_000)).status).toBe(200);
  await member.call('/api/playground/chats/one', { method: 'PUT', body: { version: 0, content } });
  const kept = await keptBy(member, '/api/user/self/kept');
  const least = { responses: 5_000, batches: 100, sessions: 6_000, knowledge: 7_000, files: 17_000, chats: 100 };
  for (const [name, bytes] of Object.entries(least)) expect([name, part(kept, name)! > bytes]).toEqual([name, true]);
  expect(kept.bytes).toBe(kept.parts!.reduce((sum, { bytes }) => sum + bytes, 0));
  await service.setOption('KeptPerUserMebibytes', 1);
});

test('organisations see the storage usage of their keys', async () => {
  const owner = await service.user();
  const made = await owner.call('/api/organisations', { method: 'POST', body: { name: 'Acme' } });
  const { data } = (await made.json()) as { data: { id: number } };
  const path = `/api/organisations/${data.id}/kept`;
  expect(await keptBy(owner, path)).toMatchObject({ status: 200, bytes: 0, most_bytes: mebibyte });
  expect((await keptBy(member, path)).status).toBe(404);
  const statuses = [member, owner].map(async (by) => (await by.call(`${path}/responses`, { method: 'DELETE' })).status);
  expect(await Promise.all(statuses)).toEqual([404, 200]);
});

describe('storage totals', () => {
  const most = 8 * mebibyte;
  const openOne = () =>
    openStorageQuota({ db: db(), shared: memoryShared(clock), clock, log: openLog('silent'), mostBytes: () => most });
  const sum = async (userId: number) => (await readSum(db(), userId)).bytes;

  test('the limit holds under concurrent writes from two processes', async () => {
    const { id } = await service.user();
    const places = [await openOne(), await openOne()];
    const each = 100_000;
    const taken = await Promise.all(Array.from({ length: 200 }, (_, i) => places[i % 2]!.tries(id, each)));
    const bytes = taken.filter(Boolean).length * each;
    expect(bytes).toBeLessThanOrEqual(most);
    expect(bytes).toBeGreaterThan(most - 3 * each);
    expect(await sum(id)).toBeLessThanOrEqual(most);
  });

  test('most writes are checked in memory without a database query', async () => {
    const { id } = await service.user();
    const storage = await openOne();
    const executor = db().getExecutor();
    const { executeQuery } = executor;
    let statements = 0;
    executor.executeQuery = ((query: CompiledQuery) => {
      if (query.sql.includes('kept_sums')) statements += 1;
      return executeQuery.call(executor, query);
    }) as typeof executeQuery;
    for (let i = 0; i < 1_000; i += 1) await storage.take(id, 1_000);
    executor.executeQuery = executeQuery;
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThan(50);
    expect(await sum(id)).toBeGreaterThanOrEqual(1_000_000);
  });

  test('unconditional writes are counted, and the next write is rejected', async () => {
    const { id } = await service.user();
    const storage = await openOne();
    storage.add(id, most + 1);
    await until('it is counted', async () => (await sum(id)) > most);
    await expect(storage.take(id, mebibyte)).rejects.toMatchObject({ code: 'storage_full' });
  });

  test('a wrong total is corrected once a day', async () => {
    const { id } = await service.user();
    await db().insertInto('kept_sums').values({ user_id: id, bytes: 777, counts: 3, counted_at: 1 }).execute();
    service.app.sweep();
    await until('it is counted anew', async () => (await sum(id)) === 0);
  });
});
