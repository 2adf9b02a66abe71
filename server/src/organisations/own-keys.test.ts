import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

const secret = 'sk-of-the-research-team-4321';
const personal = 'sk-of-one-member-alone-8765';
let world: World;
let owner: Member;
let member: Member;
let id: number;
let research: number;
let sales: number;

const keysSeen = () => world.upstream.seen.map(({ headers }) => headers.get('authorization')!.replace('Bearer ', ''));
const path = (rest = '') => `/api/organisations/${id}${rest}`;
const ownKeys = (team: number, rest = '') => path(`/teams/${team}/own-keys${rest}`);
const bring = (by: Member, team: number, fields: object = {}) =>
  world.send(by, 'POST', ownKeys(team), { provider: 'openai', name: 'Ours', credential: secret, ...fields });
const keyOf = async (by: Member, body: object) =>
  (await world.send<{ id: number; key: string }>(by, 'POST', path('/keys'), { name: 'key', ...body })).data;
const balanceOf = async (by: Member) => (await world.send<{ quota: number }>(by, 'GET', '/api/user/self')).data.quota;
/** With which credential a request with an API key goes out. */
const goesOutWith = async (key: string): Promise<string[]> => {
  world.upstream.seen.length = 0;
  expect(await world.ask(key)).toMatchObject({ status: 200 });
  return keysSeen();
};

beforeAll(async () => {
  world = await openWorld();
  await world.t.setOption('OwnKeys', true);
  owner = await world.t.user();
  id = (await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' })).data.id;
  research = (await world.send(owner, 'POST', path('/teams'), { name: 'Research' })).data.id;
  sales = (await world.send(owner, 'POST', path('/teams'), { name: 'Sales' })).data.id;
  member = await world.join(owner, id, 'member', research);
});
beforeEach(() => {
  world.upstream.seen.length = 0;
});
afterAll(() => world.close());

test('a team’s key is used only for requests of that team', async () => {
  const added = await bring(owner, research);
  expect(added).toMatchObject({ status: 201, data: { name: 'Ours', credential_hint: '••••4321' } });
  const ofTeam = await keyOf(owner, { owner: 'team', team_id: research });
  const ofMember = await keyOf(member, { team_id: research });
  // Without a fee it needs no balance; nobody has any here.
  expect(await goesOutWith(ofTeam.key)).toEqual([secret]);
  expect(await goesOutWith(ofMember.key)).toEqual([secret]);

  for (const one of [owner, member]) await world.credit(one.id, 10 * price);
  const ofNoTeam = await keyOf(owner, {});
  expect(await goesOutWith(ofNoTeam.key)).not.toContain(secret);
  expect(await goesOutWith(await member.key())).not.toContain(secret);
  const elsewhere = await keyOf(owner, { owner: 'team', team_id: sales });
  world.upstream.seen.length = 0;
  expect((await world.ask(elsewhere.key)).status).toBe(403);
  expect(keysSeen()).toEqual([]);

  // Moved to another team, the next request is for that one.
  await world.send(owner, 'PUT', path(`/keys/${ofTeam.id}`), { team_id: sales });
  expect((await world.ask(ofTeam.key)).status).toBe(403);
});

test('the payer of the key pays the fee, and a team’s key takes precedence over a member’s own key', async () => {
  const before = await balanceOf(member);
  expect(
    (
      await world.send(member, 'POST', '/api/routing/own-keys', {
        provider: 'openai',
        name: 'Mine',
        credential: personal,
      })
    ).status,
  ).toBe(201);
  const ofMember = await keyOf(member, { team_id: research });
  expect(await goesOutWith(ofMember.key)).toEqual([secret]);
  expect(await goesOutWith(await member.key())).toEqual([personal]);
  expect(await balanceOf(member)).toBe(before);
  await world.t.setOption('OwnKeyFee', 0.1);
  expect(await goesOutWith(ofMember.key)).toEqual([secret]);
  await world.t.setOption('OwnKeyFee', 0);
  expect(await balanceOf(member)).toBe(before - price / 10);
});

test('what is stored at the provider of a team is open to the team’s programs and a user’s own, not to each member', async () => {
  const stored = { type: 'file', file: { file_id: 'gs://research/plans.pdf' } };
  const messages = [{ role: 'user', content: [stored] }];
  const reads = async (key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const body = { model: 'm', max_tokens: 1, messages };
    return (await world.t.call('/v1/chat/completions', { method: 'POST', headers, body })).status;
  };
  const ofTeam = await keyOf(owner, { owner: 'team', team_id: research });
  const ofMember = await keyOf(member, { team_id: research });
  expect(await reads(ofMember.key)).toBe(400);
  expect(keysSeen()).toEqual([]);
  expect(await reads(ofTeam.key)).toBe(200);
  expect(await reads(await member.key())).toBe(200);
  expect(keysSeen()).toEqual([secret, personal]);
});

test('owners and admins manage team keys, and no key is shown again', async () => {
  const [{ id: key }] = (await world.send<{ keys: [{ id: number }] }>(owner, 'GET', ownKeys(research))).data.keys;
  for (const role of ['member', 'viewer']) {
    const other = await world.join(owner, id, role, research);
    expect((await world.send(other, 'GET', ownKeys(research))).status).toBe(403);
    expect((await bring(other, research)).status).toBe(403);
    expect((await world.send(other, 'PUT', ownKeys(research, `/${key}`), { name: 'X' })).status).toBe(403);
    expect((await world.send(other, 'POST', ownKeys(research, `/${key}/test`))).status).toBe(403);
    expect((await world.send(other, 'DELETE', ownKeys(research, `/${key}`))).status).toBe(403);
  }
  const stranger = await world.t.user();
  expect((await world.send(stranger, 'GET', ownKeys(research))).status).toBe(404);
  const admin = await world.join(owner, id, 'admin');
  const listed = await admin.call(ownKeys(research));
  expect(listed.status).toBe(200);
  const text = await listed.text();
  expect(text).not.toContain(secret);
  expect(text).not.toContain('"s1.');
  expect((await world.send(admin, 'PUT', ownKeys(research, `/${key}`), { name: 'Renamed' })).status).toBe(200);
  // Of another team it is not, nor a user's own.
  expect((await world.send(admin, 'DELETE', ownKeys(sales, `/${key}`))).status).toBe(404);
  expect((await world.send(admin, 'PUT', ownKeys(sales, `/${key}`), { name: 'X' })).status).toBe(404);
  expect((await world.send(owner, 'DELETE', `/api/routing/own-keys/${key}`)).status).toBe(404);
  expect((await world.send(owner, 'POST', `/api/routing/own-keys/${key}/test`)).status).toBe(404);
});

test('a key test calls the provider with that key, and its error does not contain the key', async () => {
  const [{ id: key }] = (await world.send<{ keys: [{ id: number }] }>(owner, 'GET', ownKeys(research))).data.keys;
  expect((await world.send(owner, 'POST', ownKeys(research, `/${key}/test`))).data).toMatchObject({ ok: true });
  expect(keysSeen()).toEqual([secret]);
  world.upstream.answer(() => Response.json({ error: { message: `no such key ${secret}` } }, { status: 401 }));
  const refused = await world.send<{ ok: boolean; error: string }>(owner, 'POST', ownKeys(research, `/${key}/test`));
  expect(refused.data.ok).toBe(false);
  expect(refused.data.error).toContain('no such key');
  expect(refused.data.error).not.toContain(secret);
});

test('a team’s keys are deleted with the team', async () => {
  const { db } = world.t.platform.database;
  const rows = () => db.selectFrom('routing_own_keys').select('id').where('team_id', 'is not', null).execute();
  expect(await rows()).not.toEqual([]);
  await world.send(owner, 'DELETE', path(`/teams/${research}`));
  expect(await rows()).toEqual([]);
  expect((await bring(owner, research)).status).toBe(404);
  await bring(owner, sales);
  expect(await rows()).toHaveLength(1);
  await world.send(owner, 'DELETE', path());
  expect(await rows()).toEqual([]);
});
