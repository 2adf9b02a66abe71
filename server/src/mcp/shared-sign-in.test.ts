import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openWorld, type World } from '../organisations/organisations.fixture.ts';
import { administration, connectClient } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn, unspelled } from './signed-in.fixture.ts';

/* Servers of organisations that want a sign-in: of each member, or of one for all. */

let w: World;
let owner: Member;
let admin: Member;
let member: Member;
let acme = 0;
let robot = '';
const base = '/api/mcp/servers';
const started: SignedInServer[] = [];

beforeAll(async () => {
  w = await openWorld({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await w.t.setOption('McpUserServers', true);
  await w.t.app.start();
  owner = await w.t.user();
  const made = await w.send<{ id: number; account_id: number }>(owner, 'POST', '/api/organisations', { name: 'Acme' });
  acme = made.data.id;
  await w.credit(made.data.account_id, 1_000_000);
  const team_id = (await w.send(owner, 'POST', `/api/organisations/${acme}/teams`, { name: 'Research' })).data.id;
  [admin, member] = [await w.join(owner, acme, 'admin'), await w.join(owner, acme, 'member')];
  const key = { name: 'robot', owner: 'team', team_id };
  robot = (await w.send<{ key: string }>(owner, 'POST', `/api/organisations/${acme}/keys`, key)).data.key;
});
afterAll(async () => {
  for (const server of started) server.stop();
  await w.close();
});

interface Connected {
  id: number;
  name: string;
  server: SignedInServer;
}
async function connected(fields: object = {}): Promise<Connected> {
  const server = startSignedIn();
  server.revocation = { status: 200, asked: [], signed: [] };
  const body = { name: `s${started.push(server)}`, url: server.url, organisation_id: acme, auth: 'oauth', ...fields };
  const { status, data, message } = await w.send<{ id: number; name: string }>(owner, 'POST', base, body);
  expect([status, message]).toEqual([201, '']);
  return { ...data, server };
}
const begin = (by: Member, id: number, path = 'shared-sign-in') =>
  w.send<{ authorization_url: string }>(by, 'POST', `${base}/${id}/${path}`);
const comeBack = async (by: Member, state: string, code: string) =>
  (await by.call(`/api/mcp/authorized?${new URLSearchParams({ state, code })}`)).status;
const stateOf = ({ data }: { data: { authorization_url: string } }): string =>
  new URL(data.authorization_url).searchParams.get('state')!;
const signIn = async (by: Member, id: number, code: string, path?: string) =>
  expect(await comeBack(by, stateOf(await begin(by, id, path)), code)).toBe(303);
/** For whom the server takes a caller, or why it is not called. */
async function seenAs(name: string, key: string): Promise<string> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', arguments: {} } };
  const headers = {
    ...{ authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
    'mcp-protocol-version': '2025-11-25',
  };
  const answer = await w.t.call(`/mcp/${name}`, { method: 'POST', headers, body: asked });
  type Told = { result?: { content: { text: string }[] }; error?: { message: string } };
  const { result, error } = JSON.parse((await answer.text()).replace(/^event: message\ndata: /, '')) as Told;
  return error?.message ?? unspelled(result!.content[0]!.text).replace(/^Bearer token-(\w+)-\d+$/, '$1');
}
const shownBy = async (by: Member, id: number) =>
  (await w.send<{ sign_in: string; signed_in_by: { name: string } | null }>(by, 'GET', `${base}/${id}`)).data;
const connection = async (by: Member, name: string) => {
  type Seen = { servers: { name: string; signed_in: boolean; signed_in_by: { name: string } | null }[] };
  return (await w.send<Seen>(by, 'GET', '/api/mcp/connections')).data.servers.find((one) => one.name === name);
};
const givenBack = ({ server }: Connected, code: string) =>
  until('the token is given back', () =>
    server.revocation!.asked.some((one) => one.get('token') === `refresh-${code}`),
  );

test("a shared sign-in is used for team keys and members without their own; a member's own takes precedence", async () => {
  const one = await connected({ sign_in: 'shared' });
  const { id, name } = one;
  await signIn(admin, id, 'boss');
  await administration(admin).allow(id);
  expect(await shownBy(owner, id)).toMatchObject({ sign_in: 'shared', signed_in_by: { name: admin.username } });
  expect(await connection(member, name)).toMatchObject({ signed_in: false, signed_in_by: { name: admin.username } });
  const key = await member.key();
  const all = async () => [await seenAs(name, robot), await seenAs(name, key), await seenAs(name, await owner.key())];
  expect([await all(), await all()]).toEqual([Array(3).fill('boss'), Array(3).fill('boss')]);

  // A session that was begun as another is not gone on with.
  const { client } = await connectClient(w.t, `/mcp/${name}`, key);
  const who = async () => JSON.stringify((await client.callTool({ name: 'who', arguments: {} })).content);
  expect(await who()).toContain('boss');
  const sessions = () => one.server.behind.heard.map((headers) => headers.get('mcp-session-id'));
  const before = sessions().at(-1);
  await signIn(member, id, 'lea', 'authorize');
  expect(await who()).toContain('lea');
  expect(sessions().at(-1)).not.toBe(before);
  await client.close();
  expect(await all()).toEqual(['boss', 'lea', 'boss']);

  expect((await w.send(admin, 'DELETE', `${base}/${id}/shared-sign-in`)).status).toBe(200);
  await givenBack(one, 'boss');
  expect(await all()).toEqual([
    expect.stringContaining('no one has signed in to it for the organisation'),
    'lea',
    expect.stringContaining('no one has signed in'),
  ]);
  type Acts = { logs: { action: string; after: { mcp_server?: string } | null }[] };
  const { data } = await w.send<Acts>(owner, 'GET', `/api/organisations/${acme}/audit?page_size=100`);
  const acts = data.logs.filter(({ after }) => after?.mcp_server === name).map(({ action }) => action);
  expect(acts.filter((action) => action.includes('shared'))).toEqual([
    'mcp_shared_sign_in_removed',
    'mcp_shared_sign_in_begun',
  ]);
});

test('with individual sign-in no one signs in for others, and switching ends shared grants', async () => {
  const one = await connected();
  const { id, name } = one;
  expect((await begin(owner, id)).status).toBe(400);
  await signIn(owner, id, 'own', 'authorize');
  await administration(owner).allow(id);
  expect(await seenAs(name, robot)).toContain('a team key belongs to no member');
  expect(await seenAs(name, await member.key())).toContain('the user has to sign in to it first');
  const choose = (sign_in: string) => w.send(admin, 'PUT', `${base}/${id}`, { sign_in });
  expect((await choose('shared')).status).toBe(200);
  await signIn(admin, id, 'boss');
  expect([await seenAs(name, robot), await seenAs(name, await owner.key())]).toEqual(['boss', 'own']);
  // Whoever has begun comes too late.
  const late = stateOf(await begin(admin, id));
  await choose('each');
  await givenBack(one, 'boss');
  expect(await comeBack(admin, late, 'late')).toBe(404);
  expect(await seenAs(name, robot)).toContain('a team key belongs to no member');
});

test('only administrators sign in for the organisation, each completing their own attempt', async () => {
  const { id } = await connected({ sign_in: 'shared' });
  for (const [by, status] of [
    [member, 404],
    [await w.t.user(), 404],
    // Who runs the service sees the server, and is nobody in the organisation.
    [w.root, 404],
  ] as const) {
    expect([by.id, (await begin(by, id)).status]).toEqual([by.id, status]);
    if (by !== w.root) expect((await w.send(by, 'DELETE', `${base}/${id}/shared-sign-in`)).status).toBe(404);
  }
  // A link that another was sent signs nobody in.
  for (const other of [admin, member])
    expect(await comeBack(other, stateOf(await begin(owner, id)), 'mallory')).toBe(404);
  expect(await shownBy(owner, id)).toMatchObject({ signed_in_by: null });
  for (const fields of [{ organisation_id: undefined, sign_in: 'shared' }, { sign_in: 'all' }])
    expect((await w.send(owner, 'POST', base, { name: 'no', url: 'http://127.0.0.1:9/mcp', ...fields })).status).toBe(
      400,
    );
});

test('a shared sign-in ends when its member leaves, who cannot complete another attempt', async () => {
  const one = await connected({ sign_in: 'shared' });
  const { id, name } = one;
  const leaving = await w.join(owner, acme, 'admin');
  await signIn(leaving, id, 'gone');
  await administration(owner).allow(id);
  expect(await seenAs(name, robot)).toBe('gone');
  const state = stateOf(await begin(leaving, id));
  await w.send(owner, 'DELETE', `/api/organisations/${acme}/members/${leaving.id}`);
  await givenBack(one, 'gone');
  expect(await comeBack(leaving, state, 'back')).toBe(404);
  expect([await seenAs(name, robot), await shownBy(owner, id)]).toEqual([
    expect.stringContaining('no one has signed in'),
    expect.objectContaining({ signed_in_by: null }),
  ]);
});

test("the service signs in for itself as the organisation's own client", async () => {
  const server = startSignedIn();
  started.push(server);
  server.byHand = { acme: 'the-secret' };
  const client = { auth: 'client_credentials', client_id: 'acme', client_secret: 'the-secret', url: server.url };
  const { id, name } = await connected(client);
  await administration(owner).allow(id);
  expect([await seenAs(name, robot), await seenAs(name, await member.key())]).toEqual(['service', 'service']);
});

test("runs with a team key or a member's key call its tools with the shared sign-in", async () => {
  const { id, name } = await connected({ sign_in: 'shared' });
  await signIn(admin, id, 'boss');
  await administration(owner).allow(id);
  const tool = `${name}__who`;
  type Body = {
    stream?: boolean;
    messages: { role: string; content: unknown }[];
    tools?: { function: { name: string } }[];
  };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const judged = JSON.stringify({ score: 0.9, feedback: 'fine', confidence: 0.95, missing: [] });
  const heard: string[] = [];
  w.upstream.answer(({ body }) => {
    const { messages, tools, stream } = body as Body;
    if (!stream)
      return Response.json({
        choices: [{ message: { role: 'assistant', content: judged }, finish_reason: 'stop' }],
        usage,
      });
    const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => `${content}`);
    heard.push(...told);
    const calls = tools?.some((one) => one.function.name === tool) && told.length === 0;
    const call = { index: 0, id: 'c1', type: 'function', function: { name: tool, arguments: '{}' } };
    const delta = { role: 'assistant', ...(calls ? { tool_calls: [call] } : { content: `It says: ${told.join()}` }) };
    const chunks = [
      { id: 'c', choices: [{ index: 0, delta, finish_reason: calls ? 'tool_calls' : 'stop' }] },
      { id: 'c', choices: [], usage },
    ];
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
    return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
  });
  await w.credit(member.id, 1_000_000);
  for (const key of [robot, await member.key()]) {
    const answer = await w.t.call('/api/svc-ms/autonomous/execute', {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: { message: 'Say who I am', stream_events: false, config: { connected_tools: [tool] } },
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining('"completed"')]);
    expect(unspelled(heard.at(-1)!)).toMatch(/^Bearer token-boss-\d+$/);
    heard.length = 0;
  }
});
