/** What is imposed on somebody, by whom, and that the one concerned cannot undo it by any way that is theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Member } from './app.fixture.ts';
import { openWorld, price, type World } from './organisations/organisations.fixture.ts';

let world: World;
let owner: Member;
let admin: Member;
let member: Member;
let id: number;
let team: number;
let keyId: number;
let secret: string;
let server: number;
let own: number;
let application: { id: number };

interface Key {
  id: number;
  key: string;
  status: number;
  imposed: string[];
}
const path = (rest = '') => `/api/organisations/${id}${rest}`;
const later = () => Math.floor(Date.now() / 1000) + 86_400;

beforeAll(async () => {
  world = await openWorld();
  await world.t.setOption('McpUserServers', true);
  owner = await world.t.user();
  id = (await world.send(owner, 'POST', '/api/organisations', { name: 'Acme' })).data.id;
  team = (await world.send(owner, 'POST', path('/teams'), { name: 'Research' })).data.id;
  [admin, member] = [await world.join(owner, id, 'admin'), await world.join(owner, id, 'member', team)];
  await world.credit(member.id, 1_000 * price);
  const made = await world.send<Key>(member, 'POST', path('/keys'), { name: 'mine', team_id: team });
  [keyId, secret] = [made.data.id, made.data.key];
  const url = 'https://tools.example/mcp';
  const connect = (by: Member, body: object) => world.send(by, 'POST', '/api/mcp/servers', { url, ...body });
  server = (await connect(owner, { name: 'tools', organisation_id: id })).data.id;
  own = (await connect(member, { name: 'tools' })).data.id;
  const body = { name: 'App', redirect_uris: ['https://app.example/cb'], scopes: 'openid' };
  application = (await world.send(member, 'POST', '/api/oauth2/applications', body)).data;
});
afterAll(() => world.close());

const ways = ['/api/tokens', '/organisation'] as const;
const change = (by: Member, way: (typeof ways)[number], body: object) =>
  world.send<Key>(by, 'PUT', way === '/api/tokens' ? `/api/tokens/${keyId}` : path(`/keys/${keyId}`), body);
const keyNow = async () =>
  (await world.send<Key[]>(member, 'GET', '/api/tokens')).data.find((key) => key.id === keyId)!;

describe('limits that a manager sets on a member’s own key', () => {
  const unset = { status: 1, expired_time: -1, unlimited_quota: true, models: [], allowed_ips: [] };
  const none = { remain_quota: 0, ...unset };
  const rows: [string, string, object, object[], object[]][] = [
    ['disables it', 'status', { status: 2 }, [{ status: 1 }], [{ status: 2 }, { name: 'renamed' }]],
    [
      ...(['lets it expire', 'expired_time'] as const),
      { expired_time: later() },
      [{ expired_time: -1 }, { expired_time: 0 }, { expired_time: later() + 86_400 }],
      [{ expired_time: later() - 3_600 }],
    ],
    [
      ...(['limits what it spends', 'quota'] as const),
      { unlimited_quota: false, remain_quota: 5 * price },
      [{ unlimited_quota: true }, { remain_quota: 6 * price }, { unlimited_quota: true, remain_quota: 0 }],
      [{ remain_quota: 4 * price }],
    ],
    [
      ...(['limits its models', 'models'] as const),
      { models: ['other', 'another'] },
      [{ models: [] }, { models: ['m'] }, { models: ['other', 'm'] }],
      [{ models: ['other'] }, { cache: null }],
    ],
    [
      ...(['limits its addresses', 'allowed_ips'] as const),
      { allowed_ips: ['10.0.0.0/8', '192.0.2.1'] },
      [{ allowed_ips: [] }, { allowed_ips: ['0.0.0.0/0'] }],
      [{ allowed_ips: ['10.0.0.0/8'] }],
    ],
  ];

  test.each(rows)('%s: %s can only be lifted by a manager', async (_, name, imposes, undoings, allowed) => {
    expect((await change(admin, '/organisation', imposes)).data.imposed).toEqual([name]);
    for (const undoing of undoings)
      for (const way of ways) {
        const refused = await change(member, way, undoing);
        expect([undoing, refused.status]).toEqual([undoing, 403]);
        expect(refused.message).toContain('manager');
      }
    expect((await keyNow()).imposed).toEqual([name]);
    for (const stricter of allowed)
      for (const way of ways) expect((await change(member, way, stricter)).status).toBe(200);
    // A new secret lifts nothing.
    const rotate = `/api/tokens/${keyId}/rotate`;
    secret = (await world.send<Key>(member, 'POST', rotate, { overlap_seconds: 3_600 })).data.key;
    expect((await keyNow()).imposed).toEqual([name]);
    expect((await change(owner, '/organisation', none)).data.imposed).toEqual([]);
    for (const undoing of undoings) expect((await change(member, '/api/tokens', undoing)).status).toBe(200);
    await change(member, '/api/tokens', none);
  });

  test('a key disabled by a manager is rejected, whatever its holder tries', async () => {
    expect((await world.ask(secret)).status).toBe(200);
    await change(admin, '/organisation', { status: 2 });
    for (const way of ways) await change(member, way, { status: 1, name: 'again' });
    expect((await world.ask(secret)).status).toBe(401);
    expect((await keyNow()).status).toBe(2);
    await change(admin, '/organisation', { status: 1 });
    expect((await world.ask(secret)).status).toBe(200);
  });

  test('limits set by the key’s own holder stay theirs to change', async () => {
    expect((await change(member, '/organisation', { status: 2 })).data.imposed).toEqual([]);
    expect((await change(member, '/api/tokens', { status: 1 })).status).toBe(200);
    // A manager who only renames imposes nothing that the member has set.
    await change(member, '/api/tokens', { models: ['m'] });
    expect((await change(admin, '/organisation', { name: 'x', models: ['m'], status: 1 })).data.imposed).toEqual([]);
    await change(member, '/api/tokens', { models: [] });
    const made = (await world.send<Key>(admin, 'POST', path('/keys'), { name: 'managing' })).data;
    const mine = (by: Member, body: object) => world.send<Key>(by, 'PUT', path(`/keys/${made.id}`), body);
    expect((await mine(admin, { status: 2 })).data.imposed).toEqual([]);
    expect((await mine(owner, { status: 1 })).data.imposed).toEqual([]);
    expect((await mine(owner, { status: 2 })).data.imposed).toEqual(['status']);
    expect((await mine(admin, { status: 1 })).data).toMatchObject({ status: 1, imposed: [] });
  });

  test('concurrent attempts cannot re-enable a key that a manager disables', async () => {
    const tries = Array.from({ length: 20 }, (_, i) =>
      i === 7 ? change(admin, '/organisation', { status: 2 }) : change(member, ways[i % 2]!, { status: 1 }),
    );
    await Promise.all(tries);
    expect(await keyNow()).toMatchObject({ status: 2, imposed: ['status'] });
    await change(admin, '/organisation', { status: 1 });
  });
});

interface Imposition {
  by: string;
  thing: string;
  impose(): Promise<{ status: number }>;
  undo(): Promise<{ status: number }>[];
  /** Whether it still holds. */
  holds(): Promise<boolean>;
}

const one = async <T>(by: Member, at: string) => (await world.send<T>(by, 'GET', at)).data;
const levelOf = () => `/limits/member/${member.id}`;
const budgets = async () => (await one<{ budgets: { id: number; amount: number }[] }>(owner, path('/budgets'))).budgets;
const putServer = (by: Member, which: number, body: object) => world.send(by, 'PUT', `/api/mcp/servers/${which}`, body);
const isOff = async (which: number) =>
  !(await one<{ enabled: boolean }>(world.root, `/api/mcp/servers/${which}`)).enabled;

const impositions: Imposition[] = [
  {
    by: 'a manager',
    thing: 'a budget of a key',
    impose: () =>
      world.send(owner, 'POST', path('/budgets'), { level: 'key', level_id: keyId, window: 'month', amount: 1 }),
    undo: () => [
      world.send(member, 'PUT', `/api/tokens/${keyId}/limit`, { amount: 1e6 }),
      world.send(member, 'DELETE', `/api/tokens/${keyId}/limit`),
      budgets().then(([budget]) => world.send(member, 'PUT', path(`/budgets/${budget!.id}`), { amount: 1e6 })),
      budgets().then(([budget]) => world.send(member, 'DELETE', path(`/budgets/${budget!.id}`))),
      change(member, '/organisation', { team_id: null }),
    ],
    holds: async () => (await budgets())[0]?.amount === 1,
  },
  {
    by: 'a manager',
    thing: 'limits of a member',
    impose: () => world.send(owner, 'PUT', path(levelOf()), { requests_per_minute: 1 }),
    undo: () => [
      world.send(member, 'PUT', path(levelOf()), { requests_per_minute: 1000 }),
      world.send(member, 'DELETE', path(levelOf())),
    ],
    holds: async () => {
      const { limits } = await one<{ limits: { level: string; requests_per_minute: number }[] }>(
        owner,
        path('/limits'),
      );
      return limits.some((limit) => limit.level === 'member' && limit.requests_per_minute === 1);
    },
  },
  {
    by: 'a manager',
    thing: 'the role of a member',
    impose: () => world.send(owner, 'PUT', path(`/members/${member.id}`), { role: 'member' }),
    undo: () => [world.send(member, 'PUT', path(`/members/${member.id}`), { role: 'admin' })],
    holds: async () => (await one<{ role: string }>(member, path())).role === 'member',
  },
  {
    by: 'a manager',
    thing: 'a server of the organisation',
    impose: () => putServer(owner, server, { enabled: false }),
    undo: () => [putServer(member, server, { enabled: true })],
    holds: () => isOff(server),
  },
  {
    by: 'an administrator of the service',
    thing: 'a server of an organisation',
    impose: () => putServer(world.root, server, { enabled: false }),
    undo: () => [
      putServer(owner, server, { enabled: true }),
      putServer(owner, server, { enabled: true, url: 'https://other.example/mcp' }),
      putServer(admin, server, { enabled: true }),
    ],
    holds: () => isOff(server),
  },
  {
    by: 'an administrator of the service',
    thing: 'a user’s own server',
    impose: () => putServer(world.root, own, { enabled: false }),
    undo: () => [putServer(member, own, { enabled: true })],
    holds: () => isOff(own),
  },
  {
    by: 'an administrator of the service',
    thing: 'an application',
    impose: () => world.send(world.root, 'POST', '/api/oauth2/admin/applications/suspend', { app_id: application.id }),
    undo: () => [
      world.send(member, 'POST', '/api/oauth2/admin/applications/activate', { app_id: application.id }),
      world.send(member, 'PUT', `/api/oauth2/applications/${application.id}`, { status: 1 }),
    ],
    holds: async () =>
      (await one<{ status: number }>(member, `/api/oauth2/applications/${application.id}`)).status !== 1,
  },
];

test.each(impositions)('$by, on $thing', async ({ impose, undo, holds }) => {
  expect((await impose()).status).toBe(200);
  expect(await holds()).toBe(true);
  await Promise.all(undo());
  expect(await holds()).toBe(true);
});

test('an administrator lifts the block, and owners can enable servers they disabled themselves', async () => {
  expect((await putServer(world.root, own, { enabled: true })).status).toBe(200);
  expect((await putServer(member, own, { enabled: false })).status).toBe(200);
  expect((await putServer(member, own, { enabled: true })).status).toBe(200);
  // While it is disabled, its owner can change what else there is, or disconnect it.
  await putServer(world.root, own, { enabled: false });
  expect((await putServer(member, own, { timeout_ms: 5_000 })).status).toBe(200);
  expect((await world.send(member, 'DELETE', `/api/mcp/servers/${own}`)).status).toBe(200);
});
