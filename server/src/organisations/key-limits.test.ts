import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
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

test('a key stops at what it may spend in a month, and begins anew with the next', async () => {
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

test('of many at once on the last unit one is answered', async () => {
  const key = await made();
  await limit(key.id, { amount: price });
  const answers = await Promise.all(Array.from({ length: 12 }, () => world.ask(key.key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('of limits that are set at once each is taken, and one stays', async () => {
  const key = await made();
  const amounts = [1, 2, 3, 4, 5].map((n) => n * price);
  const set = await Promise.all(amounts.map((amount) => limit(key.id, { amount })));
  expect(set.map(({ status }) => status)).toEqual(amounts.map(() => 200));
  const kept = (await limits()).filter(({ key_id }) => key_id === key.id);
  expect(kept).toHaveLength(1);
  expect(amounts).toContain(kept[0]!.amount);
});

test('one that only tells goes on, and each share is told once', async () => {
  const key = await made();
  await limit(key.id, { amount: 2 * price, hard: false, alerts: [0.5, 1] });
  for (let i = 0; i < 3; i += 1) expect(await world.ask(key.key)).toMatchObject({ status: 200 });
  const { db } = world.t.platform.database;
  const shares = () =>
    db.selectFrom('organisation_warnings').select('share').where('level_id', '=', key.id).orderBy('share').execute();
  await until('the last share is told', async () => (await shares()).at(-1)?.share === 1_000);
  expect((await shares()).length).toBeLessThanOrEqual(2);
});

test('nobody sees the place that such keys stand in', async () => {
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

test('keys of others have no limit of mine, and those of organisations have theirs there', async () => {
  const other = await world.t.user();
  const key = await made();
  expect((await limit(key.id, { amount: price }, other)).status).toBe(404);
  const { id } = (await world.send(other, 'POST', '/api/organisations', { name: 'Acme' })).data;
  const placed = (await world.send(other, 'POST', `/api/organisations/${id}/keys`, { name: 'k' })).data;
  expect((await limit(placed.id, { amount: price }, other)).status).toBe(409);
  for (const wrong of [{}, { amount: -1 }, { amount: 1.5 }, { amount: 1, alerts: [2] }, { amount: 1, more: 1 }])
    expect((await limit(key.id, wrong)).status).toBe(400);
});
