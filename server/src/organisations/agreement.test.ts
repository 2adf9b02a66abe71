import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { mergeOldSpans } from '../billing/store/roll-up-spans.ts';
import { sweepUsage } from '../billing/store/usage.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { stepsOf } from '../oauth/oauth.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import { added, type Entry, expectAccount, expectSummary, readerOf } from './agreement.fixture.ts';
import { expectLevels, type Place } from './agreement-levels.fixture.ts';
import { batchOf, bearer, ended, otherAnswer, otherModels, talk, tool, traffic } from './agreement-traffic.fixture.ts';
import { monthCalled, windowAt } from './calendar.ts';
import { type LastingWorld, openLastingWorld } from './lasting-work.fixture.ts';
import { openScene, type Scene } from './mixture.fixture.ts';

/** Whatever is asked and paid, every place that tells a sum of it tells the same one, to the unit. */
setDefaultTimeout(240_000);
const from = Date.UTC(2026, 9, 31) / 1000;
const clock = manualClock((from + 3 * 3600) * 1000);
const zone = 'Pacific/Kiritimati';
let world: LastingWorld;
let owner: Member;
let at: Scene;
let other: ScriptedUpstream;

beforeAll(async () => {
  world = await openLastingWorld(clock, { OPENID_CONNECT: '1' });
  owner = await world.t.user();
  other = scriptedUpstream(otherAnswer);
  await addUpstream(world.t, other.url, otherModels, { provider: 'acme' });
  at = await openScene(world, owner, clock, 400);
  await world.send(owner, 'PUT', at.path(''), { time_zone: zone });
});
afterAll(async () => {
  await world.close();
  await other.close();
});

const scopes = 'openid profile usage:read models:use';
const limited = { scope: scopes, spending_limit: 100_000, spending_window: 'month' };
const windows = ['day', 'week', 'month', 'total'];

async function sent(by: Member, method: string, path: string, body?: object) {
  const { status, message, data } = await world.send<Record<string, unknown> & { id: number }>(by, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${message}`);
  return data;
}

/** Somebody outside of the organisation, with two keys, limits of every kind, credits of every origin and an application. */
async function openPerson() {
  const member = await world.t.user();
  await world.credit(member.id, 5_000_000);
  await world.credit(member.id, -777);
  const order = await sent(world.root, 'POST', '/api/admin/redemption-codes', { quota: 1_234, uses: 1 });
  await sent(member, 'POST', '/api/user/redemptions', { code: (order.codes as { code: string }[])[0]!.code });
  const quota = { remain_quota: 100_000, unlimited_quota: false };
  const keys = [await member.key({ ...quota, cache: { ttl_seconds: 600, when: 'any' } }), await member.key()];
  const listed = (await world.send<{ id: number }[]>(member, 'GET', '/api/tokens')).data;
  for (const { id } of listed) await sent(member, 'PUT', `/api/tokens/${id}/limit`, { amount: 400_000 });
  for (const window of windows)
    await sent(member, 'PUT', `/api/user/spending/${window}`, { amount: 900_000, hard: window !== 'day' });
  await sent(member, 'POST', '/api/routing/own-keys', { provider: 'acme', name: 'Mine', credential: 'sk-mine-123456' });
  const steps = stepsOf(world.t, owner, member);
  const client = await steps.client({ name: 'Agent', scopes });
  const token = async () => (await steps.tokens(client, limited)).access_token;
  return { member, keys, firstKeyId: listed[0]!.id, applicationId: client.id, token };
}
let person: Awaited<ReturnType<typeof openPerson>>;

async function openBudgets(): Promise<void> {
  const levels = { organisation: at.id, team: at.teams[0], member: at.members[0]!.id, key: at.keys[0]!.id };
  for (const [level, level_id] of Object.entries(levels))
    for (const window of windows) {
      const budget = { level, level_id, window, amount: 1_000_000, hard: window !== 'week' };
      await sent(owner, 'POST', at.path('/budgets'), budget);
    }
}

async function expectAll(): Promise<void> {
  for (const id of [...at.accounts, person.member.id]) {
    const member = [...at.members, person.member].find((one) => one.id === id);
    await expectAccount(world, id, { from, member });
  }
  await expectEverything();
}

test('every place that tells a sum of money tells the same one', async () => {
  await world.t.setOption('OwnKeys', true);
  await world.t.setOption('OwnKeyFee', 0.05);
  person = await openPerson();
  await openBudgets();
  const keys = [...at.keys.map(({ key }) => key), ...person.keys];
  // Beyond the end of a day and of a month, of the organisation and of everybody else.
  for (let round = 0; round < 3; round += 1) {
    const all = [...keys, await person.token()];
    for (const one of all) await traffic(bearer(world, one));
    for (const one of all) await batchOf(world, one);
    for (const one of [keys[0]!, keys[2]!, keys[3]!]) {
      await talk(world, one);
      await tool(world, one);
    }
    await ended(world, clock);
    clock.advance(8 * 3_600_000);
    // From here on the organisation pays for its members.
    if (round === 1) await sent(owner, 'PUT', at.path(''), { balance: 'shared' });
  }
  await expectAll();
  await expectPersonal(person.member, person.applicationId, await person.token());
  const months = ['2026-10', '2026-11'].map((name) => ({ name, ...monthCalled(zone, name) }));
  const [one, two, three] = at.keys.map(({ id }) => id) as [number, number, number];
  const places: Place[] = [
    { level: 'organisation', id: at.id, keys: [one, two, three] },
    { level: 'team', id: at.teams[0]!, keys: [one, three] },
    { level: 'team', id: at.teams[1]!, keys: [two] },
    { level: 'member', id: at.members[0]!.id, keys: [one] },
    { level: 'member', id: at.members[1]!.id, keys: [two] },
    ...[one, two, three].map((id): Place => ({ level: 'key', id, keys: [id] })),
  ];
  await expectLevels(at, owner, places, { from, months });
});

test('also of answers that cost more than there was', async () => {
  const poor = await world.t.user();
  await world.credit(poor.id, 1_000);
  const keys = [await poor.key(), await poor.key({ remain_quota: 150, unlimited_quota: false })];
  const listed = (await world.send<{ id: number }[]>(poor, 'GET', '/api/tokens')).data;
  for (const { id } of listed) await sent(poor, 'PUT', `/api/tokens/${id}/limit`, { amount: 400 });
  for (const window of windows) await sent(poor, 'PUT', `/api/user/spending/${window}`, { amount: 500 });
  const long = { model: 'tokens', max_tokens: 20, messages: [{ role: 'user', content: 'fine 333' }] };
  for (const key of [keys[1]!, keys[1]!, keys[0]!, keys[0]!])
    await (await bearer(world, key)('/v1/chat/completions', long)).text();
  for (const window of windows) await sent(poor, 'DELETE', `/api/user/spending/${window}`);
  await Promise.all([1, 2, 3, 4].map(async () => (await bearer(world, keys[0]!)('/v1/chat/completions', long)).text()));
  for (const { id } of listed) await sent(poor, 'PUT', `/api/tokens/${id}/limit`, { amount: 400_000 });
  await Promise.all([1, 2, 3, 4].map(async () => (await bearer(world, keys[0]!)('/v1/chat/completions', long)).text()));
  await ended(world, clock);
  const entries = await expectAccount(world, poor.id, { from, member: poor });
  const charged = entries.map(({ quota, shortfall }) => quota + shortfall);
  expect(added(entries, 'quota')).toBe(1_000);
  expect(charged.reduce((sum, cost) => sum + cost, 0)).toBeGreaterThan(1_000);
});

test('and when sums of five minutes became sums of hours, then of days', async () => {
  for (const days of [1, 9]) {
    clock.advance(days * 86_400_000);
    const { db } = world.t.platform.database;
    await until('old spans are merged', async () => !(await mergeOldSpans(db, Math.floor(clock.nowMs() / 1000))));
    await expectAll();
  }
});

test('and after keys, teams, memberships and users are gone', async () => {
  await sent(person.member, 'DELETE', `/api/tokens/${person.firstKeyId}`);
  await sent(owner, 'DELETE', at.path(`/teams/${at.teams[1]}`));
  await sent(owner, 'DELETE', at.path(`/members/${at.members[0]!.id}`));
  await expectAll();
  await sent(world.root, 'DELETE', `/api/admin/users/${person.member.id}`);
  await ended(world, clock);
  await expectEverything();
});

test('and when the entries of a month have been deleted, from the sums that stay', async () => {
  const { get, all, table } = readerOf(world, world.root);
  const listed = async () => added(await all<Entry>('/api/admin/usage/logs', 'logs'), 'quota');
  const sums = async () => ({
    months: await table('/api/admin/accounting?from=2026-10&to=2026-11'),
    days: await get(`/api/admin/usage/summary?from=${from}&also=model,token`),
    overview: (await get<{ total: object }>(`/api/admin/overview?from=${from}`)).total,
    users: (await get<{ users: { id: number; used_quota: number }[] }>('/api/admin/users?page_size=100')).users,
    organisation: await readerOf(world, owner).get(at.path(`/usage?from=${from}`)),
  });
  const before = await sums();
  const entries = await listed();
  await sweepUsage(world.t.platform.database.db, Date.UTC(2026, 10, 1) / 1000);
  expect(await sums()).toEqual(before);
  expect(await listed()).toBeLessThan(entries);
});

async function expectPersonal(member: Member, applicationId: number, token: string): Promise<void> {
  const { get, all } = readerOf(world, member);
  const admin = readerOf(world, world.root);
  const entries = await all<Entry & { application_id: number | null; saved_quota: number }>('/api/usage/logs', 'logs');
  const since = (startsAt: number, some: Entry[]) => {
    const counted = some.filter(({ created_at }) => created_at >= startsAt);
    return added(counted, 'quota') + added(counted, 'shortfall');
  };
  const now = Math.floor(clock.nowMs() / 1000);
  const startOf = (window: string) => windowAt('UTC', window as 'day', now).startsAt;
  const { limits } = await get<{ limits: { window: string; used: number }[] }>('/api/user/spending');
  expect(limits).toHaveLength(4);
  for (const { window, used } of limits) expect([window, used]).toEqual([window, since(startOf(window), entries)]);
  const keys = (await get<{ limits: { key_id: number; used: number }[] }>('/api/tokens/limits')).limits;
  expect(keys).toHaveLength(2);
  for (const { key_id, used } of keys)
    expect([key_id, used]).toEqual([
      key_id,
      since(
        startOf('month'),
        entries.filter(({ token_id }) => token_id === key_id),
      ),
    ]);
  const by = entries.filter(({ application_id }) => application_id === applicationId);
  expect(by.length).toBeGreaterThan(0);
  const { consents } = await get<{ consents: { application_id: number; spent: number }[] }>('/api/oauth2/consents');
  expect(consents.find((one) => one.application_id === applicationId)!.spent).toBe(since(startOf('month'), by));
  const seen = await admin.get<typeof consents & { consents: typeof consents }>(
    `/api/oauth2/admin/consents?user_id=${member.id}`,
  );
  expect(seen.consents.find((one) => one.application_id === applicationId)!.spent).toBe(since(startOf('month'), by));
  const user = await get<{ quota: number; used_quota: number }>('/api/user/self');
  const info = await world.t.call('/api/oauth2/userinfo', { headers: { authorization: `Bearer ${token}` } });
  expect(await info.json()).toMatchObject({ quota: user.quota, used_quota: user.used_quota });
  const shown = await admin.get<{ id: number; used_quota: number; saved_quota: number }[]>(
    `/api/admin/users/${member.id}/keys`,
  );
  expect(added(shown, 'saved_quota')).toBe(added(entries, 'saved_quota'));
  expect(added(shown, 'saved_quota')).toBeGreaterThan(0);
  for (const { id, used_quota } of shown)
    expect([id, used_quota]).toEqual([
      id,
      added(
        entries.filter(({ token_id }) => token_id === id),
        'quota',
      ),
    ]);
}

/** Of all users together. */
async function expectEverything(): Promise<void> {
  const { get, all, table } = readerOf(world, world.root);
  const entries = await all<Entry>('/api/admin/usage/logs', 'logs');
  await expectSummary(get, '/api/admin/usage/summary', entries, { from });
  for (const by of ['user', 'model', 'channel']) {
    const { total, series } = await get<{
      total: { quota: number; requests: number };
      series: { total: { quota: number } }[];
    }>(`/api/admin/overview?by=${by}&from=${from}`);
    expect({ quota: total.quota, requests: total.requests }).toEqual({
      quota: added(entries, 'quota'),
      requests: entries.length,
    });
    expect(
      added(
        series.map((one) => one.total),
        'quota',
      ),
    ).toBe(total.quota);
  }
  const months = await table(`/api/admin/accounting?from=2026-10&to=2026-12`);
  expect(
    added(
      months.map((row) => ({ n: Number(row.used_quota) })),
      'n',
    ),
  ).toBe(added(entries, 'quota'));
}
