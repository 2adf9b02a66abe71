import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

interface Connections {
  address: string;
  api_keys: boolean;
  may_connect: boolean;
  servers: {
    id: number | null;
    name: string;
    address: string;
    enabled: boolean;
    manageable: boolean;
    own: boolean;
    signed_in: boolean | null;
    tools: { name: string; offered_as: string; description: string; ask_first: boolean }[];
  }[];
}
interface Called {
  result: { content?: { text: string }[]; isError?: boolean } | null;
  error: { code: number; message: string } | null;
  duration_ms: number;
}
type Caller = Pick<FrontTest['user'], 'call'>;

const dataOf = async <T>(answer: Promise<Response>): Promise<T> => {
  const response = await answer;
  const { data, ...rest } = (await response.json()) as { data: T };
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(rest)}`);
  return data;
};
const connections = (by: Caller = f.user) => dataOf<Connections>(by.call('/api/mcp/connections'));
const named = async (name: string, by?: Caller) => (await connections(by)).servers.find((one) => one.name === name);
const call = (name: string, args: object = {}, by: Caller = f.user) =>
  by.call(`/api/mcp/tools/${name}/call`, { method: 'POST', body: { arguments: args } });
const dangerous: ScriptedTool = { name: 'delete', description: 'Deletes.', answer: () => 'deleted' };

test('a user sees the servers they may use and their addresses, and nothing of others', async () => {
  const { id, name } = await f.connected(f.start([echo, dangerous]), {}, ['delete']);
  const hidden = await f.connected(f.start([echo]), { audience: 'administrators' });
  const seen = await connections();
  const { baseUrl } = f.t.config;
  expect([seen.address, seen.api_keys, seen.may_connect]).toEqual([`${baseUrl}/mcp`, true, false]);
  expect(seen.servers.map((server) => server.name)).toEqual(['svc', name]);
  expect(seen.servers[0]!.tools.map((tool) => tool.offered_as)).toContain('svc__ask_model');
  expect(seen.servers[1]).toMatchObject({
    ...{ id, address: `${baseUrl}/mcp/${name}`, manageable: false, own: false, enabled: true, signed_in: null },
    tools: [
      { name: 'delete', offered_as: `${name}__delete`, ask_first: true },
      { name: 'echo', offered_as: `${name}__echo`, ask_first: false, description: 'Says it again.' },
    ],
  });
  const root = await f.t.root();
  expect(await named(hidden.name, root)).toMatchObject({ manageable: true, own: false });
  expect((await connections(root)).may_connect).toBe(true);
  await f.admin.send('PUT', `/${id}`, { enabled: false });
  expect(await named(name)).toBeUndefined();
});

test('a user can change their own server while that is allowed, and sees it when it is disabled', async () => {
  await f.t.setOption('McpUserServers', true);
  const server = f.start([echo]);
  const made = await f.user.call('/api/mcp/servers', { method: 'POST', body: { name: 'mine', url: server.url } });
  const { data } = (await made.json()) as { data: { id: number } };
  expect(await named('mine')).toMatchObject({ own: true, manageable: true, tools: [] });
  await f.user.call(`/api/mcp/servers/${data.id}`, { method: 'PUT', body: { enabled: false } });
  expect(await named('mine')).toMatchObject({ enabled: false, manageable: true });
  expect(await named('mine', await f.t.user())).toBeUndefined();
  await f.t.setOption('McpUserServers', false);
  expect(await named('mine')).toMatchObject({ own: true, manageable: false });
});

test('a tool called from the page returns its result unchanged, and is recorded in usage and audit', async () => {
  const result = { content: [{ type: 'text', text: 'a\nb' }], structuredContent: { lines: 2 }, _meta: { cost: 0 } };
  const server = f.start([{ ...echo, answer: () => result }]);
  const { name } = await f.connected(server);
  const called = await dataOf<Called>(call(`${name}__echo`, { text: 'x' }));
  expect(called).toMatchObject({ result, error: null });
  expect(server.calls).toEqual([{ name: 'echo', args: { text: 'x' } }]);
  await until('it is in usage', async () => {
    const { logs } = await dataOf<{ logs: { model: string; token_id: null }[] }>(f.user.call('/api/usage/logs'));
    return logs.some(({ model, token_id }) => model === `mcp/${name}/echo` && token_id === null);
  });
  const root = await f.t.root();
  await until('it is in the audit log', async () => {
    const { logs } = await dataOf<{ logs: object[] }>(root.call('/api/admin/audit?action=mcp_tool_called'));
    return logs.some((entry) => JSON.stringify(entry).includes(name));
  });
  // The clock of the test stands still: its day is today's.
  const { items } = await dataOf<{ items: object[] }>(root.call('/api/admin/usage/tools'));
  const mine = { server: name, tool: 'echo', user_id: f.user.id, username: f.user.username };
  expect(items).toContainEqual(expect.objectContaining({ ...mine, calls: 1, sample: 1, errors: 0 }));
  expect((await f.user.call('/api/admin/usage/tools')).status).toBe(403);
  for (const query of ['from=9&to=8', 'from=0', 'user=1'])
    expect((await root.call(`/api/admin/usage/tools?${query}`)).status).toBe(400);
});

test("a built-in tool runs with the user's own rights", async () => {
  const { result } = await dataOf<Called>(call('svc__list_models'));
  expect(result!.content![0]!.text).toContain('demo/chat');
});

test('calls from the page need no approval; calls from programs still do', async () => {
  const server = f.start([dangerous]);
  const { name } = await f.connected(server, {}, ['delete']);
  const { client } = await f.clientOf(`/mcp/${name}`);
  const refused = await client.callTool({ name: 'delete', arguments: {} });
  expect(JSON.stringify(refused.content)).toContain(`${f.t.config.webUrl}/tools`);
  const called = await dataOf<Called>(call(`${name}__delete`));
  expect(called.result!.content).toEqual([{ type: 'text', text: 'deleted' }] as never);
  const byKey = await f.t.call(`/api/mcp/tools/${name}__delete/call`, {
    method: 'POST',
    body: { arguments: {} },
    headers: { authorization: `Bearer ${f.key}` },
  });
  expect(byKey.status).toBe(401);
  expect(server.calls).toHaveLength(1);
});

test("a server's error is shown; missing, forbidden and changed tools are not called", async () => {
  const server = f.start([echo, dangerous]);
  const { id, name } = await f.connected(server);
  await f.admin.allow(id, ['echo']);
  for (const unknown of ['nothing', 'svc__nothing', `${name}__delete`, `${name}__nothing`])
    expect((await call(unknown)).status).toBe(404);
  expect((await f.user.call(`/api/mcp/tools/${name}__echo/call`, { method: 'POST', body: { args: 1 } })).status).toBe(
    400,
  );
  server.tools = [{ ...echo, description: 'Another.' }];
  f.laterOn();
  const changed = await dataOf<Called>(call(`${name}__echo`, { text: 'x' }));
  expect(changed.result).toMatchObject({ isError: true });
  expect(server.calls).toEqual([]);
  const broken = f.startRaw(({ method, id: asked, result }) => {
    if (method !== 'tools/list')
      return Response.json({ jsonrpc: '2.0', id: asked, error: { code: -32_602, message: 'no' } });
    return Response.json(result({ tools: [{ name: 'no', inputSchema: { type: 'object' } }] }));
  });
  const other = await f.connected(broken);
  const told = await dataOf<Called>(call(`${other.name}__no`));
  expect(told).toMatchObject({ result: null, error: { code: -32_602 } });
});
