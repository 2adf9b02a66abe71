import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { isQuestion, isResult, rawClient } from './speaks.fixture.ts';

/* Of the revision 2026-07-28: servers that need to know something before they answer, and methods that nobody has. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const can = 'io.modelcontextprotocol/clientCapabilities';
const asks = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const asking: ScriptedTool = {
  name: 'greet',
  answer: (_, { mcpReq }) => {
    const given = (mcpReq.inputResponses?.who ?? null) as { content?: { name?: string } } | null;
    if (given) return `Hello, ${given.content?.name} (${mcpReq.requestState()})`;
    const inputRequests = { who: { method: 'elicitation/create', params: asks } };
    return { resultType: 'input_required', inputRequests, requestState: 'as it was' };
  },
};

test("a server's question reaches a client that can answer, and the answer reaches the server", async () => {
  const { name } = await f.connected(f.start([asking], 'modern'));
  for (const [path, tool] of [
    [`/mcp/${name}`, 'greet'],
    ['/mcp', `${name}__greet`],
  ] as const) {
    const { client } = await f.clientOf(path);
    const call = { name: tool, arguments: {}, _meta: { [can]: { elicitation: { form: {} } } } };
    const first: object = await client.callTool(call, { allowInputRequired: true });
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { who: { params: asks } } });
    const { requestState } = first as { requestState: string };
    const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };
    const said = await client.callTool({ ...call, inputResponses, requestState } as typeof call);
    expect(said.content).toEqual([{ type: 'text', text: 'Hello, Ada (as it was)' }]);
  }
});

test('a client that cannot answer is not asked', async () => {
  const server = f.start([asking], 'modern');
  const { name } = await f.connected(server);
  const { client } = await f.clientOf(`/mcp/${name}`);
  const refused = client.callTool({ name: 'greet', arguments: {} }, { allowInputRequired: true });
  await expect(refused).rejects.toMatchObject({ code: -32_021 });
  const { client: older } = await f.clientOf(`/mcp/${name}`, 'legacy');
  await expect(older.callTool({ name: 'greet', arguments: {} })).rejects.toThrow('capabilit');
  // Nor is one that can be asked other things only.
  const able = await rawClient(f.t, `/mcp/${name}`, f.key, { roots: {} });
  const call = await able.call('greet');
  expect((await call.find('it is refused', isResult)).error?.message).toContain('capabilit');
  expect(call.messages.filter(isQuestion)).toEqual([]);
});

test('a server of an older revision receives nothing that only the newest revision has', async () => {
  const heard: unknown[] = [];
  const { name } = await f.connected(
    f.startRaw(({ method, params, result }) => {
      if (method === 'tools/list')
        return Response.json(result({ tools: [{ ...echo, inputSchema: { type: 'object' } }] }));
      heard.push(params);
      return Response.json(result({ content: [] }));
    }),
  );
  const { client } = await f.clientOf(`/mcp/${name}`);
  const call = { name: 'echo', arguments: { text: 'x' }, _meta: { [can]: { elicitation: {} } } };
  await client.callTool({ ...call, requestState: 'of another' } as typeof call);
  expect(heard).toEqual([{ name: 'echo', arguments: { text: 'x' } }]);
});

test('an unknown method is a 404 in the newest revision, and an ordinary error in older ones', async () => {
  const { name } = await f.connected(f.start([echo]));
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', [can]: {} };
  for (const path of [`/mcp/${name}`, '/mcp', '/mcp/svc'])
    for (const method of ['nobody/knows', 'resources/list', 'constructor']) {
      const message = { jsonrpc: '2.0', id: 1, method, params: { _meta: meta } };
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
      const answer = await f.post(path, message, headers);
      expect([path, method, answer.status, await answer.json()]).toMatchObject([
        path,
        method,
        404,
        { error: { code: -32_601 } },
      ]);
      const before = await f.post(path, { jsonrpc: '2.0', id: 1, method, params: {} });
      expect([before.status, await before.text()]).toEqual([200, expect.stringContaining('-32601')]);
    }
});
