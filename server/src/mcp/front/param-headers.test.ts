import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const own = 'io.modelcontextprotocol/';
const _meta = { [`${own}protocolVersion`]: '2026-07-28', [`${own}clientCapabilities`]: {} };
const marked: ScriptedTool = {
  name: 'marked',
  inputSchema: {
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      place: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } },
    },
  },
  answer: (given) => `with ${JSON.stringify(given)}`,
};
/** Those of before know of no marks: theirs may be anything. */
const oddly: ScriptedTool = {
  name: 'oddly',
  inputSchema: {
    properties: {
      // No name of a header, and no value that could stand in one.
      odd: { type: 'string', 'x-mcp-header': 'not a name' },
      list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
    },
  },
};

type Headers = Record<string, string>;
const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

async function ask(path: string, name: string, given: object, headers: Headers = {}) {
  const params = { name, arguments: given, _meta };
  const all = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, ...headers };
  const answer = await f.post(path, { jsonrpc: '2.0', id: 'an id', method: 'tools/call', params }, all);
  const { id, result, error } = (await answer.json()) as {
    id: string;
    result?: unknown;
    error?: { code: number; data?: { mismatch: { header: string } } };
  };
  return {
    status: answer.status,
    id,
    called: result !== undefined,
    error: [error?.code, error?.data?.mismatch.header],
  };
}

const taken = { status: 200, id: 'an id', called: true, error: [undefined, undefined] };
const refusedFor = (header: string) => ({ status: 400, id: 'an id', called: false, error: [-32_020, header] });

describe.each(['sessions', 'modern'] as const)('a server of the era %s', (era) => {
  test('compares arguments with the headers that repeat them', async () => {
    const server = f.start([echo, marked], era);
    const { name } = await f.connected(server);
    for (const path of [`/mcp/${name}`, '/mcp']) {
      const tool = path === '/mcp' ? `${name}__marked` : 'marked';
      const before = server.calls.length;
      const asked: [object, Headers, object][] = [
        [{ region: 'north' }, { 'mcp-param-region': 'north' }, taken],
        [{ region: 'north' }, { 'MCP-PARAM-REGION': '  north ' }, taken],
        [{ region: 'Grüße\n' }, { 'mcp-param-region': encoded('Grüße\n') }, taken],
        // Half of the wrapping is none.
        [{ region: '=?base64?bm8=' }, { 'mcp-param-region': '=?base64?bm8=' }, taken],
        [{ count: 42, dry: false }, { 'mcp-param-count': '42.0', 'mcp-param-dry': 'false' }, taken],
        [{ place: { city: 'Ulm' } }, { 'mcp-param-city': 'Ulm' }, taken],
        // What is not in the body is not expected, and not looked at.
        [{}, {}, taken],
        [{ region: null }, { 'mcp-param-region': 'north' }, taken],
        [{ region: 'north' }, {}, refusedFor('Mcp-Param-Region')],
        [{ region: 'north' }, { 'mcp-param-region': 'North' }, refusedFor('Mcp-Param-Region')],
        [{ region: 'no' }, { 'mcp-param-region': '=?base64?bm8?=' }, refusedFor('Mcp-Param-Region')],
        [{ region: 'no' }, { 'mcp-param-region': '=?base64?bm_!?=' }, refusedFor('Mcp-Param-Region')],
        [{ region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }, refusedFor('Mcp-Param-Region')],
        [{ region: '' }, {}, refusedFor('Mcp-Param-Region')],
        [{ region: '42' }, { 'mcp-param-region': '42.0' }, refusedFor('Mcp-Param-Region')],
        [{ count: 42 }, { 'mcp-param-count': '0x2a' }, refusedFor('Mcp-Param-Count')],
        [{ dry: true }, { 'mcp-param-dry': 'True' }, refusedFor('Mcp-Param-Dry')],
        [{ place: { city: 'Ulm' } }, {}, refusedFor('Mcp-Param-City')],
      ];
      for (const [given, headers, expected] of asked)
        expect({ given, ...(await ask(path, tool, given, headers)) }).toMatchObject(expected);
      const calls = asked.filter(([, , expected]) => expected === taken).length;
      expect(server.calls.length - before).toBe(calls);
      const plain = path === '/mcp' ? `${name}__echo` : 'echo';
      expect(await ask(path, plain, { text: 'tea' }, { 'mcp-param-text': 'coffee' })).toEqual(taken);
    }
  });

  test('older clients send no such headers', async () => {
    const { name } = await f.connected(f.start([marked], era));
    const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
    const answer = await client.callTool({ name: 'marked', arguments: { region: 'north' } });
    expect(JSON.stringify(answer.content)).toContain('north');
  });

  test("accepts the library's own client", async () => {
    const { region, count } = marked.inputSchema!.properties as Record<string, object>;
    const few = { ...marked, inputSchema: { properties: { region, count } } };
    const { name } = await f.connected(f.start([few], era));
    const { client } = await f.clientOf(`/mcp/${name}`);
    await client.listTools();
    const answer = await client.callTool({ name: 'marked', arguments: { region: 'Zürich', count: 7 } });
    expect(JSON.stringify(answer.content)).toContain('Zürich');
  });
});

test('an invalid header mark of an older server is ignored', async () => {
  const { name } = await f.connected(f.start([oddly]));
  expect(await ask(`/mcp/${name}`, 'oddly', { odd: 'x', list: ['y'] })).toEqual(taken);
});

/** Revision 2026-07-28, tools: clients must leave out a tool with such a mark, and show all others. */
const text = { type: 'string', 'x-mcp-header': 'A' };
const wrongly: [string, object, string][] = [
  ['empty', { properties: { a: { ...text, 'x-mcp-header': '' } } }, 'without a header name'],
  ['no text', { properties: { a: { ...text, 'x-mcp-header': 7 } } }, 'without a header name'],
  ['spaced', { properties: { a: { ...text, 'x-mcp-header': 'A B' } } }, 'without a header name'],
  ['two lines', { properties: { a: { ...text, 'x-mcp-header': 'A\nB' } } }, 'without a header name'],
  ['number', { properties: { a: { ...text, type: 'number' } } }, 'other than a string, integer or boolean'],
  ['untyped', { properties: { a: { 'x-mcp-header': 'A' } } }, 'other than a string, integer or boolean'],
  ['twice', { properties: { a: text, b: { properties: { c: { ...text, 'x-mcp-header': 'a' } } } } }, 'name twice'],
  ['root', { 'x-mcp-header': 'A' }, 'not belong to a single argument'],
  ['items', { properties: { a: { type: 'array', items: text } } }, 'not belong to a single argument'],
  ['any of', { anyOf: [{ properties: { a: text } }] }, 'not belong to a single argument'],
  ['referred', { $defs: { a: text }, properties: { a: { $ref: '#/$defs/a' } } }, 'not belong to a single argument'],
  ['below items', { properties: { a: { items: { properties: { b: text } } } } }, 'not belong to a single argument'],
];
const rightly: [string, object][] = [
  ['nested', { properties: { a: { type: 'object', properties: { b: text } } } }],
  ['an argument of that name', { properties: { 'x-mcp-header': { type: 'string' } } }],
  ['a value of that name', { properties: { a: { type: 'object', default: { 'x-mcp-header': 'A' } } } }],
];

test('a tool with invalid header marks is not offered, and the administrator sees why', async () => {
  const named = ([name, inputSchema]: readonly [string, object, string?]): ScriptedTool => ({
    ...{ name, inputSchema: inputSchema as Record<string, unknown> },
  });
  const server = f.start([...wrongly.map(named), ...rightly.map(named)], 'modern');
  const { id, name } = await f.connected(server);
  const { tools } = await f.admin.test(id);
  const problems = Object.fromEntries(tools.map((tool) => [tool.name, tool.problem]));
  expect(problems).toEqual({
    ...Object.fromEntries(wrongly.map(([tool, , why]) => [tool, expect.stringContaining(why)])),
    ...Object.fromEntries(rightly.map(([tool]) => [tool, null])),
  });
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  expect(listed.toSorted()).toEqual(rightly.map(([tool]) => tool).toSorted());
});
