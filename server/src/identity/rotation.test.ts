import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';

const clock = manualClock(Date.UTC(2026, 10, 16, 12));
const now = () => Math.floor(clock.nowMs() / 1000);
const hour = 3_600;
let t: TestApp;
let member: Member;

interface Key {
  id: number;
  key: string;
  remain_quota: number;
  previous: { key: string; ends_at: number } | null;
}

beforeAll(async () => {
  t = await openTestApp({ clock, env: { DEMO_PROVIDER: 'on' } });
  await t.setOption('RateLimitEnabled', false);
  member = await t.user();
});
afterAll(() => t.close());

const send = async <T = Key>(method: string, path: string, body?: object, by = member) => {
  const answer = await by.call(path, { method, ...(body && { body }) });
  return { status: answer.status, data: ((await answer.json()) as { data: T }).data };
};
const made = async (): Promise<Key> => (await send('POST', '/api/tokens', { name: 'ci', remain_quota: 500 })).data;
const rotate = (id: number, overlap_seconds: number, by = member) =>
  send('POST', `/api/tokens/${id}/rotate`, { overlap_seconds }, by);
const listed = async (id: number) => (await send<Key[]>('GET', '/api/tokens')).data.find((key) => key.id === id)!;
const works = async (key: string): Promise<number> =>
  (await t.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status;

test('the old secret works beside the new one for the requested overlap', async () => {
  const old = await made();
  expect(await works(old.key)).toBe(200);
  const { status, data } = await rotate(old.id, hour);
  expect(status).toBe(200);
  expect(data).toMatchObject({ id: old.id, remain_quota: 500 });
  expect(data.key).toMatch(/^sk-\w{48}$/);
  expect(data.key).not.toBe(old.key);
  expect(data.previous).toEqual({ key: `${old.key.slice(0, 7)}**********${old.key.slice(-4)}`, ends_at: now() + hour });
  expect([await works(old.key), await works(data.key)]).toEqual([200, 200]);
  expect(await listed(old.id)).toMatchObject({ previous: { ends_at: now() + hour } });

  clock.advance(hour * 1_000);
  expect([await works(old.key), await works(data.key)]).toEqual([401, 200]);
  expect((await listed(old.id)).previous).toBeNull();
});

test('both secrets share the quota', async () => {
  const old = await made();
  const { data } = await rotate(old.id, hour);
  const rows = await t.platform.database.db.selectFrom('api_keys').select('id').where('id', '=', old.id).execute();
  expect(rows).toHaveLength(1);
  await send('PUT', `/api/tokens/${old.id}`, { status: 2 });
  expect([await works(old.key), await works(data.key)]).toEqual([401, 401]);
});

test('without an overlap the old secret ends immediately, and an older one always does', async () => {
  const first = await made();
  const second = (await rotate(first.id, hour)).data;
  const third = (await rotate(first.id, hour)).data;
  expect([await works(first.key), await works(second.key), await works(third.key)]).toEqual([401, 200, 200]);
  expect((await send('DELETE', `/api/tokens/${first.id}/previous`)).status).toBe(200);
  expect([await works(second.key), await works(third.key)]).toEqual([401, 200]);
  expect((await send('DELETE', `/api/tokens/${first.id}/previous`)).status).toBe(404);
  const fourth = (await rotate(first.id, 0)).data;
  expect(fourth.previous).toBeNull();
  expect([await works(third.key), await works(fourth.key)]).toEqual([401, 200]);
});

test('of two concurrent rotations one secret is current', async () => {
  const first = await made();
  const both = await Promise.all([rotate(first.id, hour), rotate(first.id, hour)]);
  const answers = await Promise.all(both.map(({ data }) => works(data.key)));
  expect(answers).toEqual([200, 200]);
  expect(await works(first.key)).toBe(401);
});

test('keys of others are not found, and an invalid overlap is rejected', async () => {
  const key = await made();
  const other = await t.user();
  expect((await rotate(key.id, hour, other)).status).toBe(404);
  for (const wrong of [-1, 1.5, 31 * 86_400]) expect((await rotate(key.id, wrong)).status).toBe(400);
  const text = await (await member.call('/api/user/self/export')).text();
  expect(text).not.toContain('old_hash');
  expect(text).not.toContain('key_hash');
});

test('team keys are rotated by those who manage them', async () => {
  const organisation = (await send('POST', '/api/organisations', { name: 'Acme' })).data.id;
  const team = (await send('POST', `/api/organisations/${organisation}/teams`, { name: 'Research' })).data.id;
  const path = `/api/organisations/${organisation}/keys`;
  const old = (await send('POST', path, { name: 'bot', owner: 'team', team_id: team })).data;
  const { status, data } = await send('POST', `${path}/${old.id}/rotate`, { overlap_seconds: hour });
  expect(status).toBe(200);
  expect(data.previous).toMatchObject({ ends_at: now() + hour });
  expect([await works(old.key), await works(data.key)]).toEqual([200, 200]);
  expect((await send('DELETE', `${path}/${old.id}/previous`)).status).toBe(200);
  expect([await works(old.key), await works(data.key)]).toEqual([401, 200]);
  expect((await rotate(old.id, hour)).status).toBe(404);
});
