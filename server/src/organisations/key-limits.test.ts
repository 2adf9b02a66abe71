import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { Memberships } from './memberships.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

const clock = manualClock(Date.UTC(2026, 10, 16, 12));
let world: World;
let member: Member;

interface Limit {
  key_id: number;
  amount: number;
  hard: boolean;
  alerts: number[];
  used: number;
  remaining: number;
  resets_at: number;
}

beforeAll(async () => {
  world = await openWorld({ clock });
  member = await world.t.user();
  await world.credit(member.id, 1_000 * price);
});
afterAll(() => world.close());

const made = async (by = member) =>
  (await world.send<{ id: number; key: string }>(by, 'POST', '/api/tokens', { name: 'ci' })).data;
const limit = (id: number, body: object, by = member) => world.send<Limit>(by, 'PUT', `/api/tokens/${id}/limit`, body);
const limits = async (by = member) =>
  (await world.send<{ limits: Limit[] }>(by, 'GET', '/api/tokens/limits')).data.limits;

test('a key is rejected at its monthly limit and works again next month', async () => {
  const key = await made();
  expect(await limits()).toEqual([]);
  const set = await limit(key.id, { amount: 2 * price });
  expect(set).toMatchObject({ status: 200, data: { key_id: key.id, amount: 2 * price, hard: true, used: 0 } });
  expect(set.data.resets_at).toBe(Date.UTC(2026, 11, 1) / 1000);
  const other = await made();
  for (const status of [200, 200, 403]) expect(await world.ask(key.key)).toMatchObject({ status });
  expect(await world.ask(key.key)).toMatchObject({ code: 'budget_exceeded' });
  expect(await world.ask(other.key)).toMatchObject({ status: 200 });
  await until('it is counted', async () => (await limits())[0]!.used === 2 * price);
  expect(await limits()).toMatchObject([{ key_id: key.id, remaining: 0 }]);

  expect(await limit(key.id, { amount: 3 * price })).toMatchObject({ status: 200 });
  for (const status of [200, 403]) expect(await world.ask(key.key)).toMatchObject({ status });
  clock.advance(15 * 86_400_000);
  expect(await world.ask(key.key)).toMatchObject({ status: 200 });
  const lifted = await world.send(member, 'DELETE', `/api/tokens/${key.id}/limit`);
  expect(lifted.status).toBe(200);
  for (let i = 0; i < 4; i += 1) expect(await world.ask(key.key)).toMatchObject({ status: 200 });
  expect((await world.send(member, 'DELETE', `/api/tokens/${key.id}/limit`)).status).toBe(404);
});

test('of many concurrent requests for the last unit, one is answered', async () => {
  const key = await made();
  await limit(key.id, { amount: price });
  const answers = await Promise.all(Array.from({ length: 12 }, () => world.ask(key.key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('of limits set concurrently, each is accepted and one remains', async () => {
  const key = await made();
  const amounts = [1, 2, 3, 4, 5].map((n) => n * price);
  const set = await Promise.all(amounts.map((amount) => limit(key.id, { amount })));
  expect(set.map(({ status }) => status)).toEqual(amounts.map(() => 200));
  const kept = (await limits()).filter(({ key_id }) => key_id === key.id);
  expect(kept).toHaveLength(1);
  expect(amounts).toContain(kept[0]!.amount);
});

test('a soft limit rejects nothing, and each threshold alerts once', async () => {
  const key = await made();
  await limit(key.id, { amount: 2 * price, hard: false, alerts: [0.5, 1] });
  for (let i = 0; i < 3; i += 1) expect(await world.ask(key.key)).toMatchObject({ status: 200 });
  const { db } = world.t.platform.database;
  const shares = () =>
    db.selectFrom('organisation_warnings').select('share').where('level_id', '=', key.id).orderBy('share').execute();
  await until('the last share is told', async () => (await shares()).at(-1)?.share === 1_000);
  expect((await shares()).length).toBeLessThanOrEqual(2);
});

test('the internal organisation behind key limits is not visible', async () => {
  expect(
    (await world.send<{ organisations: unknown[] }>(member, 'GET', '/api/organisations')).data.organisations,
  ).toEqual([]);
  const { db } = world.t.platform.database;
  const { id } = await db
    .selectFrom('organisations')
    .select('id')
    .where('account_id', '=', member.id)
    .executeTakeFirstOrThrow();
  for (const rest of ['', '/teams', '/members', '/budgets', '/keys'])
    expect((await world.send(member, 'GET', `/api/organisations/${id}${rest}`)).status).toBe(404);
  expect((await world.send(member, 'POST', `/api/organisations/${id}/invitations`, {})).status).toBe(404);
});

test('limits cannot be set for keys of other users or of organisations', async () => {
  const other = await world.t.user();
  const key = await made();
  expect((await limit(key.id, { amount: price }, other)).status).toBe(404);
  const { id } = (await world.send(other, 'POST', '/api/organisations', { name: 'Acme' })).data;
  const placed = (await world.send(other, 'POST', `/api/organisations/${id}/keys`, { name: 'k' })).data;
  expect((await limit(placed.id, { amount: price }, other)).status).toBe(409);
  for (const wrong of [{}, { amount: -1 }, { amount: 1.5 }, { amount: 1, alerts: [2] }, { amount: 1, more: 1 }])
    expect((await limit(key.id, wrong)).status).toBe(400);
});

describe('organisation keys', () => {
  type Made = { id: number; key: string };
  /** A new one, with somebody who manages keys, and a team. */
  const newOrganisation = async () => {
    const owner = await world.t.user();
    const asked = { name: 'Acme' };
    const { data } = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', asked);
    const { id, account_id: account } = data;
    const path = (rest = '') => `/api/organisations/${id}${rest}`;
    const team = (await world.send(owner, 'POST', path('/teams'), { name: 'Research' })).data.id;
    const admin = await world.join(owner, id, 'admin', team);
    const keyOf = async (by: Member, body: object = {}) =>
      (await world.send<Made>(by, 'POST', path('/keys'), { name: 'key', team_id: team, ...body })).data;
    return { owner, admin, id, account, path, team, keyOf };
  };

  test.each(['owner', 'admin'] as const)('a member’s secret is never shown to an %s', async (role) => {
    const { [role]: manager, owner, id, path, team, keyOf } = await newOrganisation();
    const somebody = await world.join(owner, id, 'member', team);
    const { id: keyId, key } = await keyOf(somebody);
    const acts: [method: string, rest: string, body?: object][] = [
      ['POST', '/rotate', { overlap_seconds: 0 }],
      ['POST', '/rotate', { overlap_seconds: 3_600 }],
      ['PUT', '', { name: 'theirs', status: 1, unlimited_quota: true }],
      ['DELETE', '/previous'],
    ];
    for (const [method, rest, body] of acts) {
      const answer = await manager.call(path(`/keys/${keyId}${rest}`), { method, ...(body && { body }) });
      expect(await answer.text()).not.toMatch(/sk-\w{20}/);
      expect((await world.ask(key)).code).not.toBe('invalid_api_key');
    }
    const own = await world.send<Made>(somebody, 'POST', path(`/keys/${keyId}/rotate`), { overlap_seconds: 0 });
    expect(own.data.key).toMatch(/^sk-\w{48}$/);
    expect((await world.send(manager, 'DELETE', path(`/keys/${keyId}`))).status).toBe(200);
  });

  test('tools of a disabled organisation are not available', async () => {
    const { admin, id, account } = await newOrganisation();
    const memberships = new Memberships({
      ...world.t.app.identity.accounts,
      cacheSync: world.t.platform.cacheSync,
    });
    const used = async () => [await memberships.uses(admin.id, id), (await memberships.of(admin.id))[0]!.uses];
    for (const status of [1, 2, 1]) {
      await world.send(world.root, 'PUT', `/api/admin/users/${account}`, { status });
      expect(await used()).toEqual([status === 1, status === 1]);
      expect((await memberships.of(admin.id))[0]).toMatchObject({ id, accountId: account, manages: true });
    }
  });

  const doors = '/v1/models /v1/files /v1/files/x /v1/batches /v1/videos /v1/responses/x'.split(' ');
  const others = '/api/svc-ms/sessions /api/svc-ms/knowledge /api/mcp/tools'.split(' ');
  /** What a key opens, of what costs nothing. */
  const opened = async (key: string): Promise<string[]> => {
    const open: string[] = [];
    for (const door of [...doors, ...others]) {
      const { status } = await world.t.call(door, { headers: { authorization: `Bearer ${key}` } });
      if (status !== 401) open.push(door);
    }
    return open;
  };
  test.each<[what: string, rest: (teamId: number, userId: number) => string, body: object | null]>([
    ['its team is deleted', (teamId) => `/teams/${teamId}`, null],
    ['its organisation is deleted', () => '', null],
    ['its organisation is disabled', () => '', { status: 2 }],
    ['its member has left', (_, userId) => `/members/${userId}`, null],
    ['its member has left the team', (teamId, userId) => `/teams/${teamId}/members/${userId}`, null],
    ['its member is a viewer', (_, userId) => `/members/${userId}`, { role: 'viewer' }],
  ])('a key is rejected everywhere once %s', async (what, rest, body) => {
    const { owner, admin, account, path, team, keyOf } = await newOrganisation();
    const [ofTeam, own] = [(await keyOf(admin, { owner: 'team' })).key, (await keyOf(admin)).key];
    for (const key of [ofTeam, own]) expect(await opened(key)).toEqual([...doors, ...others]);
    const act = (by: Member, at: string) => world.send(by, body ? 'PUT' : 'DELETE', at, body ?? undefined);
    const isByOperator = what.endsWith('disabled');
    const done = await (isByOperator
      ? act(world.root, `/api/admin/users/${account}`)
      : act(owner, path(rest(team, admin.id))));
    expect(done.status).toBe(200);
    expect(await opened(own)).toEqual([]);
    expect(await opened(ofTeam)).toEqual(what.startsWith('its member') ? [...doors, ...others] : []);
    if (!isByOperator) return;
    await world.send(world.root, 'PUT', `/api/admin/users/${account}`, { status: 1 });
    for (const key of [ofTeam, own]) expect(await opened(key)).toEqual([...doors, ...others]);
  });
});
