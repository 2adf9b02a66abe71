import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { More, ScriptedTool } from '../mcp.fixture.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';
import { rawClient } from './speaks.fixture.ts';

/* Clients of the protocol with sessions say once how much of the logs they want to hear, wherever they call. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const logging: More = { capabilities: { logging: {} }, set: () => {} };
/** As the library has it: servers of the newest revision say what the request asks to hear, and nothing else. */
const talks: ScriptedTool = {
  name: 'talks',
  answer: async (_, { mcpReq }) => {
    await mcpReq.log('info', 'by the way');
    await mcpReq.log('error', 'mind this');
    return 'done';
  },
};

test.each(['sessions', 'modern'] as const)(
  'clients of servers of %s receive the log levels they asked for',
  async (era) => {
    const { name } = await f.connected(f.start([talks], era, false, logging));
    for (const [path, tool] of [
      [`/mcp/${name}`, 'talks'],
      ['/mcp', `${name}__talks`],
    ] as const) {
      const [client, other] = [await rawClient(f.t, path, f.key, {}), await rawClient(f.t, path, f.key, {})];
      const heardBy = async ({ call }: typeof client) => {
        const { ended, messages } = await call(tool);
        await ended;
        return messages.flatMap(({ method, params }) => (method === 'notifications/message' ? [params?.data] : []));
      };
      const set = async (level: string) =>
        (await client.post({ jsonrpc: '2.0', id: 9, method: 'logging/setLevel', params: { level } })).ended;
      const before = await heardBy(other);
      await set('error');
      expect(await heardBy(client)).toEqual(['mind this']);
      await set('debug');
      expect(await heardBy(client)).toEqual(['by the way', 'mind this']);
      expect(await heardBy(other)).toEqual(before);
    }
  },
);
