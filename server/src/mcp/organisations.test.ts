import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, type World } from '../organisations/organisations.fixture.ts';
import { rawClient } from './front/speaks.fixture.ts';
import { administration, connectClient, type McpTestServer, startMcp } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn } from './signed-in.fixture.ts';

/* Servers that are connected for an organisation: looked after by those who run it, used by all who work in it. */

let w: World;
let server: McpTestServer;
let owner: Member;
let admin: Member;
let member: Member;
let viewer: Member;
let outsider: Member;
let acme = 0;
let team = 0;
const base = '/api/mcp/servers';
const secret = 'the-secret-of-acme';

beforeAll(async () => {
  w = await openWorld({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await w.t.setOption('McpUserServers', true);
  await w.t.app.start();
  server = startMcp([{ name: 'note', answer: () => 'noted for acme' }]);
  [owner, outsider] = [await w.t.user(), await w.t.user()];
  acme = await organisation(owner, 'Acme');
  team = (await w.send(owner, 'POST', `/api/organisations/${acme}/teams`, { name: 'Research' })).data.id;
  [admin, member, viewer] = [await join('admin'), await join('member'), await join('viewer')];
});
afterAll(async () => {
  server.stop();
  await w.close();
});

const organisation = async (by: Member, name: string): Promise<number> =>
  (await w.send(by, 'POST', '/api/organisations', { name })).data.id;
const join = (role: string, id = acme): Promise<Member> => w.join(owner, id, role);
const leave = (id: number, who: Member, by = owner) =>
  w.send(by, 'DELETE', `/api/organisations/${id}/members/${who.id}`);
const teamKey = async (team_id = team): Promise<string> => {
  const body = { name: 'robot', owner: 'team', team_id };
  return (await w.send<{ key: string }>(owner, 'POST', `/api/organisations/${acme}/keys`, body)).data.key;
};
const create = (by: Member, name: string, fields: object = {}) =>
  w.send<{ id: number; name: string; owner: object }>(by, 'POST', base, {
    ...{ name, url: server.url, headers: { 'x-key': secret }, organisation_id: acme, ...fields },
  });
let count = 0;
/** A server with all its tools allowed. */
async function connected(by = owner, fields: object = {}, askFirst: string[] = []) {
  count += 1;
  const { status, data } = await create(by, `s${count}`, fields);
  expect(status).toBe(201);
  await administration(by).allow(data.id, undefined, askFirst);
  return data;
}
/** What a call at an address says, or the status that it was refused with. */
async function said(key: string, path: string, tool = 'note'): Promise<string | number> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } };
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' };
  const answer = await w.t.call(path, { method: 'POST', headers, body: { ...asked, method: 'ping' } });
  if (answer.status !== 200) return answer.status;
  const { client } = await connectClient(w.t, path, key);
  const { content } = await client.callTool({ name: tool, arguments: {} });
  await client.close();
  return (content as { text: string }[])[0]!.text;
}
const offered = async (userId: number): Promise<string[]> =>
  (await w.t.app.mcp.tools.list(userId)).map(({ name }) => name);
const connection = async (by: Member, name: string) => {
  type Seen = { servers: { name: string; own: boolean; manageable: boolean; organisation: unknown }[] };
  const { data } = await w.send<Seen>(by, 'GET', '/api/mcp/connections');
  return data.servers.find((one) => one.name === name);
};

/** A server of the organisation that this member has signed in to. */
async function signInTo(organisation_id: number, by: Member): Promise<SignedInServer> {
  const signedIn = startSignedIn();
  signedIn.revocation = { status: 200, asked: [], signed: [] };
  const fields = { organisation_id, url: signedIn.url, auth: 'oauth', headers: {} };
  const { data } = await create(owner, `asking-${by.id}`, fields);
  const begun = await w.send<{ authorization_url: string }>(by, 'POST', `${base}/${data.id}/authorize`);
  const state = new URL(begun.data.authorization_url).searchParams.get('state')!;
  await by.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: 'lea' })}`);
  expect(await connection(by, data.name)).toMatchObject({ signed_in: true });
  return signedIn;
}
async function comesBack({ revocation, stop }: SignedInServer): Promise<void> {
  await until('the token comes back', () => revocation!.asked.length === 1);
  expect(revocation!.asked[0]!.get('token')).toBe('refresh-lea');
  stop();
}

test('members use its servers by session, own keys and team keys, and no one else does', async () => {
  const { name, owner: whose, id } = await connected(admin);
  expect([name, whose]).toEqual([`s${count}_${acme}`, { type: 'organisation', id: acme }]);
  const tool = `${name}__note`;
  const robot = await teamKey();
  for (const key of [await owner.key(), await member.key(), robot]) {
    // Twice: cold, and from what is remembered.
    for (let times = 0; times < 2; times += 1) expect(await said(key, `/mcp/${name}`)).toBe('noted for acme');
    expect(await said(key, '/mcp', tool)).toBe('noted for acme');
  }
  expect(server.heard.at(-1)!.get('x-key')).toBe(secret);
  expect(await offered(member.id)).toContain(tool);
  const byHand = (by: Member) => w.send(by, 'POST', `/api/mcp/tools/${tool}/call`, { arguments: {} });
  expect((await byHand(member)).status).toBe(200);
  const place = { organisation: { id: acme, name: 'Acme' }, own: false };
  expect(await connection(member, name)).toMatchObject({ ...place, manageable: false });
  expect(await connection(admin, name)).toMatchObject({ ...place, manageable: true });

  for (const other of [viewer, outsider, w.root]) {
    expect(await said(await other.key(), `/mcp/${name}`)).toBe(404);
    expect(await offered(other.id)).not.toContain(tool);
    expect((await byHand(other)).status).toBe(404);
    expect((await w.send(other, 'POST', `${base}/${id}/authorize`)).status).toBe(404);
    expect(await connection(other, name)).toBeUndefined();
  }
  // Calls with a key of the team stand in the usage of the organisation.
  type Logs = { logs: { model: string }[] };
  const path = `/api/organisations/${acme}/requests?level=team&level_id=${team}`;
  await until('the calls are told', async () =>
    (await w.send<Logs>(owner, 'GET', path)).data.logs.some(({ model }) => model === `mcp/${name}/note`),
  );
});

test('only its administrators manage its servers; others do not see them', async () => {
  const { id, name } = await connected();
  const acts = [
    ['GET', ''],
    ['PUT', '', { timeout_ms: 9_000 }],
    ['POST', '/test'],
    ['PUT', '/tools', { tools: [] }],
    ['PUT', '', { enabled: false }],
  ] as const;
  for (const by of [member, viewer, outsider])
    for (const [method, path, body] of [...acts, ['DELETE', ''] as const])
      expect([method, (await w.send(by, method, `${base}/${id}${path}`, body)).status]).toEqual([method, 404]);
  for (const [method, path, body] of acts)
    expect((await w.send(admin, method, `${base}/${id}${path}`, body)).status).toBe(200);
  // Turned off it is there for those who run it alone.
  expect([await connection(member, name), (await connection(admin, name))?.manageable]).toEqual([undefined, true]);
  const listed = async (by: Member, query: string) => {
    const { status, data } = await w.send<{ servers: { id: number }[] }>(by, 'GET', `${base}?page_size=100${query}`);
    return status === 200 ? data.servers.some((one) => one.id === id) : status;
  };
  const of = `&organisation_id=${acme}`;
  expect([await listed(admin, of), await listed(admin, ''), await listed(member, '')]).toEqual([true, true, false]);
  expect([await listed(member, of), await listed(outsider, of)]).toEqual([403, 404]);
  for (const [by, status] of [
    [member, 403],
    [viewer, 403],
    [outsider, 404],
    [w.root, 404],
  ] as const)
    expect((await create(by, 'no')).status).toBe(status);
  // Who runs the service sees what is connected to it, and can end it.
  expect([await listed(w.root, ''), (await w.send(w.root, 'DELETE', `${base}/${id}`)).status]).toEqual([true, 200]);
});

test('a name refers to one server, even if others use it too', async () => {
  const [theirs, operators, mine] = ['beta', 'all', 'me'].map((whom) =>
    startMcp([{ name: 'note', answer: () => `noted for ${whom}` }]),
  ) as [McpTestServer, McpTestServer, McpTestServer];
  const beta = await organisation(member, 'Beta');
  const key = await member.key();
  const allow = async (by: Member, fields: object) => {
    const { status, data } = await create(by, 'hub', fields);
    expect(status).toBe(201);
    await administration(by).allow(data.id);
    return data.id;
  };
  await allow(owner, {});
  await allow(member, { url: theirs.url, organisation_id: beta });
  await allow(member, { url: mine.url, organisation_id: undefined });
  const root = administration(w.root);
  const { id } = await root.connect('hub', operators.url);
  await root.allow(id);
  const [first, second] = [`hub_${acme}`, `hub_${beta}`];
  const seen = async () => [
    ...[await said(key, '/mcp/hub'), await said(key, `/mcp/${first}`), await said(key, `/mcp/${second}`)],
    ...[await said(key, '/mcp', `${first}__note`), await said(key, '/mcp', `${second}__note`)],
  ];
  const all = ['noted for me', ...['acme', 'beta', 'acme', 'beta'].map((whom) => `noted for ${whom}`)];
  expect([await seen(), await seen()]).toEqual([all, all]);
  expect((await offered(member.id)).filter((name) => name.startsWith('hub')).toSorted()).toEqual(
    ['hub', first, second].map((name) => `${name}__note`).toSorted(),
  );
  expect(await said(await owner.key(), '/mcp/hub')).toBe('noted for all');
  expect(await said(await owner.key(), `/mcp/${second}`)).toBe(404);
  expect((await create(admin, 'hub')).status).toBe(409);
  // Nobody takes such a name by hand.
  for (const organisation_id of [undefined, acme])
    expect((await create(member, `x_${beta}`, { organisation_id })).status).toBe(400);
  await root.send('DELETE', `/${id}`);
  for (const one of [theirs, operators, mine]) one.stop();
});

test("its servers have the limits of users' servers, and need the operator's permission", async () => {
  const { id } = await connected();
  for (const fields of [
    { audience: 'everyone' },
    { user_ids: [member.id] },
    { auth: 'enterprise', client_id: 'app', client_secret: 'x', vouched_by: 'company' },
    { auth: 'jwt_bearer', assertion_file: 'token' },
  ]) {
    expect([fields, (await create(owner, 'guarded', fields)).status]).toEqual([fields, 400]);
    expect([fields, (await w.send(owner, 'PUT', `${base}/${id}`, fields)).status]).toEqual([fields, 400]);
  }
  const { tools } = await administration(owner).test(id);
  const priced = tools.map(({ name, definition }) => ({ name, definition, price: 1 }));
  for (const by of [owner, w.root])
    expect((await w.send(by, 'PUT', `${base}/${id}/tools`, { tools: priced })).status).toBe(400);

  const full = await organisation(owner, 'Full');
  for (let made = 0; made < 20; made += 1)
    expect((await create(owner, `f${made}`, { organisation_id: full })).status).toBe(201);
  expect((await create(owner, 'f20', { organisation_id: full })).status).toBe(409);
  await w.t.setOption('McpUserServers', false);
  const refused = [await create(owner, 'late'), await w.send(owner, 'DELETE', `${base}/${id}`)];
  await w.t.setOption('McpUserServers', true);
  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
});

describe('leaving the organisation', () => {
  test('removes access to its servers at once, with the sign-ins and open connections', async () => {
    const leaving = await join('member');
    const { name } = await connected();
    const signedIn = await signInTo(acme, leaving);
    const key = await leaving.key();
    expect(await said(key, `/mcp/${name}`)).toBe('noted for acme');
    const heard = await (await rawClient(w.t, `/mcp/${name}`, key)).listen();
    expect(heard.status).toBe(200);

    expect((await leave(acme, leaving)).status).toBe(200);
    await heard.ended;
    expect([await said(key, `/mcp/${name}`), await offered(leaving.id)]).toEqual([404, []]);
    await comesBack(signedIn);
  });

  test('or becoming a viewer removes access, and returning restores it', async () => {
    const { name } = await connected();
    const turning = await join('member');
    const key = await turning.key();
    const become = (role: string) => w.send(owner, 'PUT', `/api/organisations/${acme}/members/${turning.id}`, { role });
    const seen: unknown[] = [await said(key, `/mcp/${name}`)];
    for (const role of ['viewer', 'admin']) {
      expect((await become(role)).status).toBe(200);
      seen.push(await said(key, `/mcp/${name}`));
    }
    expect(seen).toEqual(['noted for acme', 404, 'noted for acme']);
  });

  test('as a team removes access of its keys', async () => {
    const { name } = await connected();
    const { data } = await w.send(owner, 'POST', `/api/organisations/${acme}/teams`, { name: 'Short' });
    const key = await teamKey(data.id);
    expect(await said(key, `/mcp/${name}`)).toBe('noted for acme');
    await w.send(owner, 'DELETE', `/api/organisations/${acme}/teams/${data.id}`);
    const tools = await w.t.call('/api/mcp/tools', { headers: { authorization: `Bearer ${key}` } });
    expect([await said(key, `/mcp/${name}`), tools.status]).toEqual([401, 401]);
  });
});

test('administrators approve calls made with a team key', async () => {
  const { name } = await connected(owner, {}, ['note']);
  const key = await teamKey();
  expect(await said(key, `/mcp/${name}`)).toContain('needs the user');
  type Waiting = { approvals: { id: number; server: string; organisation: { id: number } | null }[] };
  const waiting = async (by: Member) => {
    const { data } = await w.send<Waiting>(by, 'GET', '/api/mcp/approvals');
    return data.approvals.find((one) => one.server === name);
  };
  const asked = await waiting(admin);
  expect([asked?.organisation?.id, await waiting(member)]).toEqual([acme, undefined]);
  const answer = (by: Member) => w.send(by, 'POST', `/api/mcp/approvals/${asked!.id}`, { approved: true });
  expect([(await answer(member)).status, (await answer(admin)).status]).toEqual([404, 200]);
  expect(await said(key, `/mcp/${name}`)).toBe('noted for acme');
});

test("changes to its servers are in the organisation's audit log, without secrets", async () => {
  const { id, name } = await connected();
  await w.send(admin, 'PUT', `${base}/${id}`, { enabled: false, headers: { 'x-key': `${secret}-2` } });
  await w.send(admin, 'DELETE', `${base}/${id}`);
  type Acts = { logs: { action: string; after: { mcp_server?: string; enabled?: boolean } | null }[] };
  const { data } = await w.send<Acts>(owner, 'GET', `/api/organisations/${acme}/audit?page_size=100`);
  const told = data.logs.filter(({ after }) => after?.mcp_server === name);
  expect(told.map(({ action }) => action)).toEqual([
    ...['mcp_server_deleted', 'mcp_server_updated', 'mcp_tools_set', 'mcp_server_tested', 'mcp_server_created'],
  ]);
  expect(told[1]!.after).toMatchObject({ enabled: false });
  expect(JSON.stringify(data)).not.toContain(secret);
});

test("its servers are deleted with it, and are in no user's export", async () => {
  const ending = await organisation(owner, 'Ending');
  const { id, name } = await connected(owner, { organisation_id: ending });
  const key = await owner.key();
  expect(await said(key, `/mcp/${name}`)).toBe('noted for acme');
  const exported = (await (await owner.call('/api/user/self/export')).json()) as { mcp: { servers: unknown[] } };
  expect(exported.mcp.servers).toEqual([]);
  const signedIn = await signInTo(ending, owner);
  expect((await w.send(owner, 'DELETE', `/api/organisations/${ending}`)).status).toBe(200);
  expect([await said(key, `/mcp/${name}`), (await w.send(w.root, 'GET', `${base}/${id}`)).status]).toEqual([404, 404]);
  await comesBack(signedIn);
});
