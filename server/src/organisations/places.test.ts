import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { listen, Talk } from '../relay/realtime/realtime.fixture.ts';
import { startUpstream } from '../video/upstream.fixture.ts';
import { addModel, clientOf } from '../video/video.fixture.ts';
import { openWorld, type World } from './organisations.fixture.ts';

let world: World;
let owner: Member;
let server: ReturnType<typeof listen>;
/** Makers of videos; one of them is busy. */
const [dear, cheap, busy] = [startUpstream('openai'), startUpstream('openai'), startUpstream('openai')];
const dollar = 500_000;

beforeAll(async () => {
  world = await openWorld({ env: { DEMO_PROVIDER: 'on' } });
  await world.t.app.start();
  server = listen(world.t);
  owner = await world.t.user();
  await addModel(world.root.call, dear.url, { model: 'films/two', price: 0.5, priority: 1 });
  await addModel(world.root.call, cheap.url, { model: 'films/two', price: 0.1, priority: 2 });
  busy.script = { status: 'completed', onSubmit: () => new Response('{}', { status: 429 }) };
  await addModel(world.root.call, busy.url, { model: 'films/busy', priority: 3 });
});
afterAll(async () => {
  for (const upstream of [dear, cheap, busy]) upstream.stop();
  await server.stop(true);
  await world.close();
});

async function place(whose: 'team' | 'user', balance: 'shared' | 'own') {
  const made = await world.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', { name: 'A' });
  const { id, account_id: account } = made.data;
  const path = (rest = '') => `/api/organisations/${id}${rest}`;
  await world.credit(account, 10 * dollar);
  await world.send(owner, 'PUT', path(), { balance });
  const teamId = (await world.send(owner, 'POST', path('/teams'), { name: 'T' })).data.id;
  const member = await world.join(owner, id, 'admin', teamId);
  await world.credit(member.id, 10 * dollar);
  const fields = { name: 'k', owner: whose, team_id: teamId };
  const { data } = await world.send<{ key: string; id: number }>(member, 'POST', path('/keys'), fields);
  const headers = { authorization: `Bearer ${data.key}` };
  const payer = whose === 'team' || balance === 'shared' ? account : member.id;
  const quota = async () =>
    (await world.send<{ users: { quota: number }[] }>(world.root, 'GET', `/api/admin/users?ids=${payer}`)).data
      .users[0]!.quota;
  return { id, path, teamId, member, account, quota, headers, key: data.key, keyId: data.id };
}
type Place = Awaited<ReturnType<typeof place>>;

const byOwner = (of: (place: Place) => string) => (at: Place) => world.send(owner, 'DELETE', at.path(of(at)));
const disables = (whom: (place: Place) => number) => (at: Place) =>
  world.send(world.root, 'PUT', `/api/admin/users/${whom(at)}`, { status: 2 });

test.each([
  ['its member is removed', 'user', 'shared', byOwner(({ member }) => `/members/${member.id}`)],
  [
    'its member is removed from the team',
    'user',
    'own',
    byOwner(({ member, teamId }) => `/teams/${teamId}/members/${member.id}`),
  ],
  ['its team is deleted', 'team', 'own', byOwner(({ teamId }) => `/teams/${teamId}`)],
  ['the organisation is deleted', 'team', 'own', byOwner(() => '')],
  ['the organisation of its member is deleted', 'user', 'shared', byOwner(() => '')],
  ['the organisation is disabled', 'team', 'own', disables(({ account }) => account)],
  ['the organisation that pays for it is disabled', 'user', 'shared', disables(({ account }) => account)],
  ['it is revoked', 'user', 'own', byOwner(({ keyId }) => `/keys/${keyId}`)],
  ['its user is disabled', 'user', 'own', disables(({ member }) => member.id)],
] as const)('a key is rejected, and its running work is stopped, when %s', async (_, whose, balance, end) => {
  const at = await place(whose, balance);
  const { headers } = at;
  const statuses = async () => {
    const form = new FormData();
    form.set('purpose', 'user_data');
    form.set('file', new File(['hello'], 'a.txt'));
    return {
      chat: (await world.ask(at.key)).status,
      upload: (await world.t.call('/v1/files', { method: 'POST', headers, body: form })).status,
      files: (await world.t.call('/v1/files', { headers })).status,
      models: (await world.t.call('/v1/models', { headers })).status,
    };
  };
  expect(await statuses()).toEqual({ chat: 200, upload: 200, files: 200, models: 200 });
  const before = await at.quota();
  const talk = new Talk(`ws://127.0.0.1:${server.port}/v1/realtime?model=demo/realtime`, { headers });
  await talk.told('session.created');
  // Nobody has taken it yet, and its money is put aside.
  const films = clientOf(at.member, (path, init = {}) => world.t.call(path, { ...init, headers }));
  const asked = busy.submits.length;
  const { id } = await films.create({ model: 'films/busy', prompt: 'a film', duration: 4 });
  await until('a maker of videos was busy', () => busy.submits.length > asked);
  expect((await end(at)).status).toBe(200);
  expect(await statuses()).toEqual({ chat: 401, upload: 401, files: 401, models: 401 });
  expect((await talk.closed()).code).toBe(1008);
  const { db } = world.t.platform.database;
  const holds = () => db.selectFrom('billing_holds').select('amount').where('request_id', '=', id).execute();
  await until('the money of the video is back', async () => (await holds()).length === 0);
  expect(await at.quota()).toBe(before);
});

test('a video is ordered only from providers that the organisation allows, within its hold', async () => {
  const at = await place('user', 'shared');
  const providers = { providers: ['films-1'] };
  expect((await world.send(owner, 'PUT', at.path(`/limits/organisation/${at.id}`), providers)).status).toBe(200);
  const before = await at.quota();
  const films = clientOf(at.member, (path, init = {}) => world.t.call(path, { ...init, headers: at.headers }));
  const { id } = await films.create({
    model: 'films/two',
    prompt: 'a film',
    duration: 4,
    provider: { order: ['films-2'] },
  });
  await films.reach(id, 'completed');
  expect([dear.submits.length, cheap.submits.length]).toEqual([1, 0]);
  expect(before - (await at.quota())).toBe(2 * dollar);
});
