import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, price, type World } from '../organisations/organisations.fixture.ts';
import { saidHello } from '../relay/scripted-upstream.fixture.ts';

interface Alert {
  kind: string;
  severity: string;
  id: number | null;
  name: string | null;
  count: number | null;
  share: number | null;
  detail: string | null;
  since: number | null;
}

let world: World;
let member: Member;
let channel: { id: number; name: string };

const alerts = async (): Promise<Alert[]> =>
  (await world.send<{ alerts: Alert[] }>(world.root, 'GET', '/api/admin/alerts')).data.alerts;
const kinds = async () => (await alerts()).map(({ kind }) => kind);
const works = () => saidHello();
const refuses = (status: number) => () => Response.json({ error: { message: 'no' } }, { status });

beforeAll(async () => {
  world = await openWorld();
  member = await world.t.user();
  await world.credit(member.id, 100_000);
  const { data } = await world.send<{ channels: (typeof channel)[] }>(world.root, 'GET', '/api/admin/channels');
  channel = data.channels[0]!;
});
afterAll(() => world.close());

test('alerts about simulation only, shows nothing when a provider works, and nothing to other users', async () => {
  const house = await openTestApp();
  try {
    const answer = await (await house.root()).call('/api/admin/alerts');
    const { data } = (await answer.json()) as { data: { alerts: Alert[] } };
    expect(data.alerts.map(({ kind, severity }) => [kind, severity])).toEqual([['simulation', 'info']]);
  } finally {
    await house.close();
  }
  expect(await alerts()).toEqual([]);
  expect((await world.send(member, 'GET', '/api/admin/alerts')).status).toBe(403);
});

test('alerts about a refused credential until it is accepted or changed', async () => {
  const key = await member.key();
  world.upstream.answer(refuses(401));
  await world.ask(key);
  const told = (await alerts())[0];
  expect(told).toMatchObject({ kind: 'credential_refused', severity: 'error', name: channel.name, count: 401 });
  expect(told).toMatchObject({ id: channel.id });
  world.upstream.answer(works);
  expect((await world.ask(key)).status).toBe(200);
  expect(await kinds()).toEqual([]);
});

test('alerts about an open circuit while the channel is enabled', async () => {
  const key = await member.key();
  world.upstream.answer(refuses(500));
  await until('the circuit is open', async () => {
    await world.ask(key, 'other');
    return (await kinds()).includes('circuit_open');
  });
  const told = (await alerts()).find(({ kind }) => kind === 'circuit_open')!;
  expect(told).toMatchObject({ id: channel.id, name: channel.name, count: 1, detail: 'other', severity: 'error' });
  expect(told.since).toBeGreaterThan(0);
  world.upstream.answer(works);
  const put = (status: number) => world.send(world.root, 'PUT', `/api/admin/channels/${channel.id}`, { status });
  await put(2);
  expect((await kinds()).filter((kind) => kind !== 'simulation')).toEqual([]);
  await put(1);
});

test('alerts about a damaged file until a check finds it intact', async () => {
  const { database } = world.t.platform;
  database.damage = 'users: torn page';
  expect((await alerts())[0]).toMatchObject({
    kind: 'database_damaged',
    severity: 'error',
    detail: 'users: torn page',
  });
  database.damage = undefined;
  expect(await kinds()).not.toContain('database_damaged');
});

test('alerts about dead jobs until they are deleted', async () => {
  const { db } = world.t.platform.database;
  const dead = {
    queue: 'video',
    key: null,
    data: '{}',
    state: 'dead',
    attempt: 5,
    max_attempts: 5,
    backoff_ms: 1,
  } as const;
  const job = await db
    .insertInto('jobs')
    .values({ ...dead, due_at_ms: Date.now(), error: 'no such file', created_at_ms: Date.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  const told = (await alerts()).find(({ kind }) => kind === 'jobs_failed');
  expect(told).toMatchObject({ name: 'video', count: 1, detail: 'no such file', severity: 'warning' });
  await db.deleteFrom('jobs').where('id', '=', job.id).execute();
  expect(await kinds()).not.toContain('jobs_failed');
});

test('alerts about an organisation without an owner until its account is disabled or an owner returns', async () => {
  const owner = await world.t.user();
  const viewer = await world.t.user();
  const { data: house } = await world.send(owner, 'POST', '/api/organisations', { name: 'Left', time_zone: 'UTC' });
  const { db } = world.t.platform.database;
  const member = { organisation_id: house.id, user_id: viewer.id, role: 'viewer', created_at: 1 } as const;
  await db.insertInto('organisation_members').values(member).execute();
  const { data: key } = await world.send<{ key: string }>(owner, 'POST', `/api/organisations/${house.id}/keys`, {
    name: 'k',
  });
  const left = async () => (await alerts()).filter(({ kind }) => kind === 'organisation_left');
  const put = (id: number, status: number) => world.send(world.root, 'PUT', `/api/admin/users/${id}`, { status });
  expect(await left()).toEqual([]);
  await put(owner.id, 2);
  const [told] = await left();
  expect(told).toMatchObject({ name: 'Left', severity: 'warning', id: expect.any(Number) });
  await put(owner.id, 1);
  expect(await left()).toEqual([]);
  // As an earlier version left it, when the owner was deleted.
  await db.deleteFrom('organisation_members').where('user_id', '=', owner.id).execute();
  const [again] = await left();
  expect(again!.name).toBe('Left');
  await put(again!.id!, 2);
  expect(await left()).toEqual([]);
  expect((await world.ask(key.key)).status).toBe(401);
});

test('alerts about a budget past its threshold until it is raised', async () => {
  const owner = await world.t.user();
  const { data: house } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme', time_zone: 'UTC' });
  await world.credit(owner.id, 100_000);
  const path = `/api/organisations/${house.id}`;
  const budget = {
    level: 'organisation',
    level_id: house.id,
    window: 'month',
    amount: 2.5 * price,
    hard: true,
    alerts: [0.5],
  };
  const made = await world.send(owner, 'POST', `${path}/budgets`, budget);
  expect([made.status, made.message]).toEqual([200, '']);
  const { data: placed } = await world.send<{ key: string }>(owner, 'POST', `${path}/keys`, { name: 'k' });
  for (let i = 0; i < 2; i += 1) expect((await world.ask(placed.key)).status).toBe(200);
  await until('it is told', async () => (await kinds()).includes('budget_used'));
  const told = (await alerts()).find(({ kind }) => kind === 'budget_used')!;
  expect(told).toMatchObject({ id: house.id, name: 'Acme', detail: 'organisation month', severity: 'warning' });
  expect(told.share).toBeCloseTo(0.8);
  await world.send(owner, 'PUT', `${path}/budgets/${made.data.id}`, { amount: 100 * price });
  expect(await kinds()).not.toContain('budget_used');
});
