import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { accepted, askableClient } from './between.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

/* Servers that list some tools only to clients that can be asked something, or that show what they draw. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const ui = 'io.modelcontextprotocol/ui';
const draws: ClientCapabilities = { extensions: { [ui]: { mimeTypes: ['text/html;profile=mcp-app'] } } };
const tools: ScriptedTool[] = [
  echo,
  { name: 'asks', listedTo: ({ elicitation }) => elicitation !== undefined },
  { name: 'samples', listedTo: ({ sampling }) => sampling !== undefined },
  { name: 'roots', listedTo: ({ roots }) => roots !== undefined },
  { name: 'types', listedTo: ({ elicitation }) => elicitation === undefined },
  {
    name: 'draws',
    listedTo: ({ extensions }) => extensions?.[ui] !== undefined,
    further: { _meta: { ui: { resourceUri: 'ui://chart', visibility: ['model'] }, other: 'not passed on' } },
  },
];

describe.each(['sessions', 'modern'] as const)('a server of %s', (era) => {
  test.each(['legacy', 'auto'] as const)(
    'lists to each client (%s) the tools for that kind of client',
    async (mode) => {
      const { name } = await f.connected(f.start(tools, era));
      const listed = async (path: string, capabilities: ClientCapabilities) => {
        const at = { path, key: f.key, mode };
        const client = await askableClient([f.t], at, () => accepted('Ada'), capabilities);
        const own = (await client.listTools()).tools.map((tool) => tool.name);
        await client.close();
        return own.filter((one) => !one.startsWith('svc__')).toSorted();
      };
      for (const [path, prefix] of [
        [`/mcp/${name}`, ''],
        ['/mcp', `${name}__`],
      ] as const)
        for (const [capabilities, names] of [
          [{}, ['echo', 'types']],
          [{ elicitation: { form: {} } }, ['asks', 'echo']],
          [{ sampling: {}, roots: {} }, ['echo', 'roots', 'samples', 'types']],
          [draws, ['draws', 'echo', 'types']],
        ] as const)
          expect(await listed(path, capabilities)).toEqual(names.map((one) => `${prefix}${one}`));
    },
  );

  test('a tool listed only for some clients can be called only by those', async () => {
    const server = f.start(tools, era);
    const { name } = await f.connected(server);
    for (const mode of ['legacy', 'auto'] as const)
      for (const [path, tool] of [
        [`/mcp/${name}`, 'asks'],
        ['/mcp', `${name}__asks`],
      ] as const) {
        server.calls.length = 0;
        const able = await askableClient([f.t], { path, key: f.key, mode }, () => accepted('Ada'));
        expect(await able.callTool({ name: tool })).toMatchObject({ content: [{ text: 'asks says hello' }] });
        await able.close();
        const { client } = await f.clientOf(path, mode);
        expect(await client.callTool({ name: tool })).toMatchObject({ isError: true });
        expect(server.calls).toHaveLength(1);
      }
  });
});

test("a tool's UI resource is passed on as approved, and changing it closes the tool", async () => {
  const server = f.start(structuredClone(tools.slice(-1).map(({ further }) => ({ name: 'draws', further }))));
  const { name, id } = await f.connected(server);
  const seen = async () => {
    const { client } = await f.clientOf(`/mcp/${name}`);
    return (await client.listTools()).tools.map(({ _meta }) => _meta);
  };
  expect(await seen()).toEqual([{ ui: { resourceUri: 'ui://chart', visibility: ['model'] } }]);
  server.tools[0]!.further = { _meta: { ui: { resourceUri: 'ui://another' } } };
  f.laterOn();
  expect(await seen()).toEqual([]);
  expect((await f.admin.test(id)).tools).toMatchObject([{ name: 'draws', state: 'changed' }]);
});

test('a tool approved before UI resources were checked stays approved, without them', async () => {
  const server = f.start([{ name: 'draws' }]);
  const { name } = await f.connected(server);
  server.tools[0]!.further = { _meta: { ui: { resourceUri: 'ui://chart' } } };
  f.laterOn();
  const { client } = await f.clientOf(`/mcp/${name}`);
  expect((await client.listTools()).tools.map(({ _meta }) => _meta)).toEqual([undefined]);
});

test("a tool meant only for the server's own pages is not offered to models", async () => {
  const drawn = (visibility: string[]) => ({ _meta: { ui: { resourceUri: 'ui://chart', visibility } } });
  const server = f.start([
    { name: 'refresh', further: drawn(['app']) },
    { name: 'chart', further: drawn(['model', 'app']) },
  ]);
  const { name } = await f.connected(server);
  expect((await f.t.app.mcp.tools.list(f.user.id)).map((tool) => tool.name)).toEqual([`${name}__chart`]);
  const { client } = await f.clientOf(`/mcp/${name}`);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['chart', 'refresh']);
});
