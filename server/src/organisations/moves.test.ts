import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { saidHello } from '../relay/scripted-upstream.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

/** A moment before a day, a week and a month end in Vienna. */
const clock = manualClock(Date.UTC(2027, 1, 28, 22, 59, 50));
let world: World;
let owner: Member;

/** Answers wait until the test lets them go. */
let release = () => {};
let gate = Promise.resolve();
const hold = () => {
  ({ promise: gate, resolve: release } = Promise.withResolvers<void>());
};

beforeAll(async () => {
  world = await openWorld({ clock });
  world.upstream.answer(async () => {
    await gate;
    return saidHello();
  });
  owner = await world.t.user();
});
afterAll(() => world.close());

interface Budget {
  level: string;
  level_id: number;
  window: string;
  used: number;
  remaining: number;
}

async function organisation(time_zone = 'Europe/Vienna') {
  const { data } = await world.send(owner, 'POST', '/api/organisations', { name: 'Acme', time_zone });
  const path = (rest = '') => `/api/organisations/${data.id}${rest}`;
  const team = async (name: string) => (await world.send(owner, 'POST', path('/teams'), { name })).data.id;
  const budget = (level: string, level_id: number, window: string, amount: number) =>
    world.send(owner, 'POST', path('/budgets'), { level, level_id, window, amount });
  const budgets = async () => (await world.send<{ budgets: Budget[] }>(owner, 'GET', path('/budgets'))).data.budgets;
  return { id: data.id, path, team, budget, budgets };
}

/** A request that is under way, and what it came to. */
async function underWay(key: string) {
  hold();
  const asked = world.upstream.next();
  const answered = world.ask(key);
  await asked;
  return async () => {
    release();
    return (await answered).status;
  };
}

test('a running request is charged to its original budgets, even if its key or member moves', async () => {
  const [one, other] = [await organisation(), await organisation()];
  const [team, next] = [await one.team('Research'), await one.team('Sales')];
  const member = await world.join(owner, one.id, 'member', team);
  await world.send(owner, 'PUT', one.path(`/teams/${next}/members/${member.id}`));
  await world.credit(member.id, 100 * price);
  for (const id of [team, next]) await one.budget('team', id, 'total', 5 * price);
  await one.budget('organisation', one.id, 'total', 5 * price);
  await other.budget('organisation', other.id, 'total', 5 * price);
  const body = { name: 'k', team_id: team };
  const { data } = await world.send<{ id: number; key: string }>(member, 'POST', one.path('/keys'), body);

  const first = await underWay(data.key);
  expect((await world.send(owner, 'PUT', one.path(`/keys/${data.id}`), { team_id: next })).status).toBe(200);
  expect(await first()).toBe(200);
  expect((await one.budgets()).map(({ used }) => used)).toEqual([price, 0, price]);

  const second = await underWay(data.key);
  expect((await world.send(owner, 'DELETE', one.path(`/members/${member.id}`))).status).toBe(200);
  const { data: invited } = await world.send<{ url: string }>(owner, 'POST', other.path('/invitations'), {});
  const token = invited.url.split('#')[1];
  expect((await world.send(member, 'POST', '/api/invitations/accept', { token })).status).toBe(200);
  expect(await second()).toBe(200);
  expect((await one.budgets()).map(({ used, remaining }) => [used, remaining])).toEqual([
    [price, 4 * price],
    [price, 4 * price],
    [2 * price, 3 * price],
  ]);
  expect((await other.budgets()).map(({ used }) => used)).toEqual([0]);
  // The key stays where it was made, and its member is no longer there.
  expect((await world.ask(data.key)).status).toBe(401);
  const moved = await world.send<{ key: string }>(member, 'POST', other.path('/keys'), { name: 'new' });
  expect((await world.ask(moved.data.key)).status).toBe(200);
  expect((await other.budgets()).map(({ used }) => used)).toEqual([price]);
  const self = await world.send<{ quota: number; used_quota: number }>(member, 'GET', '/api/user/self');
  expect(self.data).toMatchObject({ quota: 97 * price, used_quota: 3 * price });
});

test('deleting a team while its key is in use keeps the ledger consistent', async () => {
  const { id, path, team, budget, budgets } = await organisation();
  const account = (await world.send<{ account_id: number }>(owner, 'GET', path())).data.account_id;
  await world.credit(account, 10 * price);
  const teamId = await team('Short-lived');
  await budget('team', teamId, 'total', 5 * price);
  await budget('organisation', id, 'total', 5 * price);
  const body = { name: 'k', owner: 'team', team_id: teamId };
  const { data } = await world.send<{ key: string }>(owner, 'POST', path('/keys'), body);
  const running = await underWay(data.key);
  expect((await world.send(owner, 'DELETE', path(`/teams/${teamId}`))).status).toBe(200);
  expect(await running()).toBe(200);
  expect(await budgets()).toMatchObject([{ level: 'organisation', used: price, remaining: 4 * price }]);
  expect((await world.send<{ quota: number }>(owner, 'GET', path())).data.quota).toBe(9 * price);
  expect((await world.ask(data.key)).status).toBe(401);
  // What was asked by level is still there.
  const usage = await world.send<{ total: { requests: number } }>(
    owner,
    'GET',
    path(`/usage?level=team&level_id=${teamId}`),
  );
  expect(usage.data.total.requests).toBe(1);
});

test('a request is charged to the month it began in, by the organisation’s time zone', async () => {
  const { id, path, budget, budgets } = await organisation();
  await world.credit(owner.id, 100 * price);
  for (const window of ['day', 'week', 'month', 'total']) await budget('organisation', id, window, price);
  const { data } = await world.send<{ key: string }>(owner, 'POST', path('/keys'), { name: 'k' });
  const running = await underWay(data.key);
  // Midnight in Vienna, not yet in UTC.
  clock.advance(20_000);
  expect(await running()).toBe(200);
  const used = async () => Object.fromEntries((await budgets()).map((one) => [one.window, one.used]));
  expect(await used()).toEqual({ day: 0, week: 0, month: 0, total: price });
  const refused = await world.ask(data.key);
  expect(refused).toMatchObject({ status: 403, code: 'budget_exceeded' });
  expect(refused.message).toContain('in total');
  // To the west it is February still: the month that is open is the one in which all was used.
  expect((await world.send(owner, 'PUT', path(), { time_zone: 'America/Los_Angeles' })).status).toBe(200);
  expect((await used()).total).toBe(price);
});
