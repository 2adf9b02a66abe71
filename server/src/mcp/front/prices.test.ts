import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openPayingTest, type PayingTest } from '../../oauth/paying.fixture.ts';
import {
  administration,
  approvalsOf,
  connectClient,
  type McpTestServer,
  startMcp,
  type TestedRow,
} from '../mcp.fixture.ts';
import { accepted, curious, newestPost, twoNames } from './between.fixture.ts';

/* What the operator says of a server and its tools: how often it is called, and what a call costs. */

let t: PayingTest;
let server: McpTestServer;
let admin: ReturnType<typeof administration>;
let key: string;
let count = 0;
const price = 700;

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  admin = administration(await t.root());
  key = await t.member.key();
  server = startMcp([
    { name: 'dear' },
    { name: 'failing', answer: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) },
    { name: 'free' },
    { name: 'slow', answer: () => Bun.sleep(20_000).then(() => 'late') },
  ]);
});
afterAll(async () => {
  server.stop();
  await t.close();
});

/** A server whose tools cost the price, but for the free one. */
const connected = async (fields: object = {}, askFirst = false) => {
  const name = `p${++count}`;
  const { id } = await admin.connect(name, server.url, fields);
  const { tools } = await admin.test(id);
  await put(id, tools, askFirst);
  return { id, name };
};
const put = (id: number, tools: Pick<TestedRow, 'name' | 'definition'>[], ask_first = false) =>
  admin.send('PUT', `/${id}/tools`, {
    tools: tools.map(({ name, definition }) => ({
      ...{ name, definition, ask_first, price: name === 'free' ? 0 : price },
    })),
  });
const call = async (name: string, tool: string, by = key, at = `/mcp/${name}`) => {
  const { client } = await connectClient(t.app, at, by);
  const result = await client.callTool({ name: tool, arguments: {} });
  await client.close();
  return result as { isError?: boolean; content: { text: string }[] };
};
const balance = async (): Promise<number> => {
  const { data } = (await (await t.member.call('/api/user/self')).json()) as { data: { quota: number } };
  return data.quota;
};
const rowsOf = async (name: string) =>
  (await t.usage()).filter(({ model }) => `${model}`.startsWith(`mcp/${name}/`)) as unknown as {
    model: string;
    quota: number;
    endpoint: string;
    status: string;
  }[];
const rows = async (name: string, length: number) => {
  await until(`${length} calls stand in usage`, async () => (await rowsOf(name)).length === length);
  return rowsOf(name);
};

describe('a tool price', () => {
  test('is charged once per call, with a usage row that names the tool', async () => {
    const { name } = await connected();
    const before = await balance();
    expect((await call(name, 'dear')).content[0]!.text).toBe('dear says hello');
    await call(name, 'free');
    expect(await balance()).toBe(before - price);
    const found = await rows(name, 2);
    expect(found.map(({ model, quota }) => [model, quota]).toSorted()).toEqual([
      [`mcp/${name}/dear`, price],
      [`mcp/${name}/free`, 0],
    ]);
    await call('', `${name}__dear`, key, '/mcp');
    expect(await balance()).toBe(before - 2 * price);
  });

  test("is charged for a tool's answer, not if its server fails", async () => {
    const { name } = await connected({ timeout_ms: 5_000 });
    const before = await balance();
    expect((await call(name, 'failing')).isError).toBe(true);
    expect(await balance()).toBe(before - price);
    const broken = startMcp([{ name: 'dear', answer: () => Promise.reject(new Error('out of order')) }]);
    const other = `p${++count}`;
    const { id } = await admin.connect(other, broken.url);
    await put(id, (await admin.test(id)).tools);
    await expect(call(other, 'dear')).rejects.toThrow();
    expect(await balance()).toBe(before - price);
    const [row] = await rows(other, 1);
    expect([row!.quota, row!.status]).toEqual([0, 'error']);
    broken.stop();
  });

  test('is held first, and the tool is not called if the balance is too low', async () => {
    const { name } = await connected();
    const poor = await t.user();
    const calls = server.calls.length;
    const refused = await call(name, 'dear', await poor.key());
    expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining('was not called')]);
    const limited = await t.member.key({ unlimited_quota: false, remain_quota: price });
    expect((await call(name, 'dear', limited)).isError).toBeUndefined();
    expect((await call(name, 'dear', limited)).isError).toBe(true);
    expect(server.calls.length).toBe(calls + 1);
  });

  test('is charged as often as the balance allows, with concurrent calls', async () => {
    const { name } = await connected();
    const limited = await t.member.key({ unlimited_quota: false, remain_quota: 3 * price });
    const before = await balance();
    const calls = server.calls.length;
    const results = await Promise.all(Array.from({ length: 10 }, () => call(name, 'dear', limited)));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(3);
    expect([server.calls.length - calls, before - (await balance())]).toEqual([3, 3 * price]);
  });

  test('is charged to a caller who disconnects while the server works', async () => {
    const { name } = await connected();
    const before = await balance();
    const calls = server.calls.length;
    const { client } = await connectClient(t.app, `/mcp/${name}`, key);
    const leaving = new AbortController();
    const left = client.callTool({ name: 'slow', arguments: {} }, { signal: leaving.signal });
    await until('the server works', () => server.calls.length > calls);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow();
    const [row] = await rows(name, 1);
    expect([row!.quota, row!.status, await balance()]).toEqual([price, 'aborted', before - price]);
    await client.close();
  });

  test.each([
    ['sessions', twoNames],
    ['modern', curious],
  ] as const)('is charged once, with one approval, for any number of questions of a server (%s)', async (era, tool) => {
    const asking = startMcp([tool], era, false);
    const name = `p${++count}`;
    const { id } = await admin.connect(name, asking.url);
    await put(id, (await admin.test(id)).tools, true);
    const before = await balance();
    const { call: ask } = newestPost(t.app, `/mcp/${name}`, key);
    expect(JSON.stringify((await ask(tool.name)).answer)).toContain('approval');
    await approvalsOf(t.member).approveFirst();
    let asked = await ask(tool.name);
    for (let round = 0; round < 2; round += 1) {
      const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((one) => [one, accepted('Ada')]));
      asked = await ask(tool.name, {}, { ...asked, inputResponses });
    }
    expect(JSON.stringify(asked.answer)).toContain('Ada Ada');
    expect(before - (await balance())).toBe(price);
    expect(JSON.stringify((await ask(tool.name)).answer)).toContain('approval');
    asking.stop();
  });

  test('of an approved call is charged once, when the call is made', async () => {
    const { name } = await connected({}, true);
    const other = await connected();
    const before = await balance();
    const calls = server.calls.length;
    const limited = await t.member.key({ unlimited_quota: false, remain_quota: price });
    expect((await call(name, 'dear', limited)).content[0]!.text).toContain('approval');
    const { waiting, answer } = approvalsOf(t.member);
    const [asked] = await waiting();
    const answered = await Promise.all([answer(asked!.id, true), answer(asked!.id, true)]);
    expect(answered.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    // What was there when it was asked about is spent meanwhile: nothing is called, and the approval stays.
    await call(other.name, 'dear', limited);
    expect((await call(name, 'dear', limited)).content[0]!.text).not.toContain('approval');
    expect(server.calls.length).toBe(calls + 1);
    // The approval is for this key: no other one uses it up.
    expect((await call(name, 'dear')).content[0]!.text).toContain('approval');
    await t.member.call(`/api/tokens/${asked!.asked_by!.id}`, { method: 'PUT', body: { remain_quota: 3 * price } });
    const results = await Promise.all([1, 2, 3].map(() => call(name, 'dear', limited)));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    expect([server.calls.length - calls, before - (await balance())]).toEqual([2, 2 * price]);
  });

  test('of a call that is not approved is not charged', async () => {
    const { name } = await connected({}, true);
    const before = await balance();
    expect((await call(name, 'dear')).content[0]!.text).toContain('approval');
    expect(await balance()).toBe(before);
    await until('nothing is held', async () => (await balance()) === before);
  });

  test('is charged to the spending limit of the calling application only', async () => {
    const { name } = await connected();
    const resource = `${t.config.baseUrl}/mcp/${name}`;
    const client = await t.payingClient();
    const may = await t.mayPay(client, price, { resource });
    expect((await call(name, 'dear', may.access_token)).isError).toBeUndefined();
    await until('it is spent', async () => (await t.consentOf(client)).spent === price);
    expect((await call(name, 'dear', may.access_token)).isError).toBe(true);
    const { access_token } = await t.tokens(await t.payingClient(), { scope: 'openid', resource });
    expect((await call(name, 'dear', access_token)).content[0]!.text).toContain('models:use');
    expect((await call(name, 'free', access_token)).isError).toBeUndefined();
  });

  test('applies to chats and runs, which report it', async () => {
    const { name } = await connected();
    const before = await balance();
    const caller = { userId: t.member.id, keyId: null, parentRequestId: 'the-turn' };
    const how = { signal: new AbortController().signal, approved: false };
    const outcome = await t.app.app.mcp.tools.call(caller, `${name}__dear`, {}, how);
    expect(outcome).toMatchObject({ isError: false, cost: price });
    expect(await balance()).toBe(before - price);
    const [row] = await rows(name, 1);
    expect(row).toMatchObject({ model: `mcp/${name}/dear`, quota: price, parent_request_id: 'the-turn' });
  });

  test('is kept when a definition is approved again, and can be set only by the operator', async () => {
    const { id, name } = await connected();
    const { tools } = await admin.test(id);
    const [dear] = tools.filter((tool) => tool.name === 'dear');
    await admin.send('POST', `/${id}/tools/dear/approve`, { definition: dear!.definition });
    await admin.send('PUT', `/${id}/tools`, { tools: [{ name: 'dear', definition: dear!.definition }] });
    const shown = await admin.send<{ tools: { name: string; price: number }[] }>('GET', `/${id}`);
    expect(shown.tools.map((tool) => [tool.name, tool.price])).toEqual([['dear', price]]);
    expect(name).toBeString();
    await t.setOption('McpUserServers', true);
    const own = await t.member.call('/api/mcp/servers', { method: 'POST', body: { name: 'mine', url: server.url } });
    const { data } = (await own.json()) as { data: { id: number } };
    const priced = { tools: [{ name: 'dear', definition: dear!.definition, price: 1 }] };
    const refused = await t.member.call(`/api/mcp/servers/${data.id}/tools`, { method: 'PUT', body: priced });
    expect(refused.status).toBe(400);
    await expect(put(id, [{ name: 'dear', definition: 'x' }])).rejects.toThrow(/^400 /);
  });
});

describe('a rate limit', () => {
  test('per minute applies to a server and all its callers, and is reported to the caller', async () => {
    const { id, name } = await connected({ calls_per_minute: 2 });
    const other = await connected();
    const another = await (await t.user()).key();
    const calls = server.calls.length;
    expect((await call(name, 'free')).isError).toBeUndefined();
    expect((await call(name, 'free', another)).isError).toBeUndefined();
    const before = await balance();
    const refused = await call(name, 'dear');
    expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining('2 calls per minute')]);
    const how = { signal: new AbortController().signal, approved: true };
    const run = await t.app.app.mcp.tools.call({ userId: t.member.id, keyId: null }, `${name}__free`, {}, how);
    expect([run.isError, run.text]).toEqual([true, expect.stringContaining('2 calls per minute')]);
    expect([server.calls.length, await balance()]).toEqual([calls + 2, before]);
    expect((await call(other.name, 'free')).isError).toBeUndefined();
    await admin.send('PUT', `/${id}`, { calls_per_minute: 0 });
    expect((await call(name, 'free')).isError).toBeUndefined();
    for (const calls_per_minute of [-1, 0.5, 1_000_001, '5'])
      await expect(admin.send('PUT', `/${id}`, { calls_per_minute })).rejects.toThrow(/^400 /);
  });
});
