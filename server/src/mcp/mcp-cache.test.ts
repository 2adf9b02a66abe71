import { afterAll, beforeAll, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { openMigrated } from '../platform/db/migrated.fixture.ts';
import type { OpenDb } from '../platform/db/open.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import type { Shared } from '../platform/shared/port.ts';
import { McpCache } from './mcp-cache.ts';
import { noClient } from './own-client.ts';
import { serverDefaults } from './servers.ts';
import { dropOwnGrant, replaceOwnGrant } from './store/own-grants.ts';
import { insertServer, type McpServer, updateServer } from './store/servers.ts';
import { replaceTools } from './store/tools.ts';

/* Two processes on one database: what one changes, the other believes no longer. */

let database: OpenDb;
beforeAll(async () => {
  database = await openMigrated();
});
afterAll(() => database.close());

let made = 0;
async function server(): Promise<McpServer> {
  made += 1;
  const { headers: _, clientSecret: __, clientKey: ___, ...fields } = serverDefaults;
  const sealed = { sealedHeaders: '', headerNames: [], ...noClient };
  return (await insertServer(database.db, { ...fields, ...sealed, name: `s${made}`, url: 'http://a.test/' }, 1))!;
}

const clock = manualClock();
let heard = true;
const cacheSync = { heard: () => heard, onGap: () => {} };
async function warm(shared: Pick<Shared, 'publish' | 'subscribe'>, name: string): Promise<McpCache> {
  const known = new McpCache({ db: database.db, clock, shared, cacheSync });
  // The first question only begins to listen.
  await known.server(1, name);
  await known.server(1, name);
  return known;
}
const disable = (id: number) => updateServer(database.db, id, (old) => ({ ...old, enabled: false }), 2);

test('a change is visible at once in every process', async () => {
  const { id, name } = await server();
  const shared = memoryShared();
  const [here, there] = [await warm(shared, name), await warm(shared, name)];
  // Kept: nobody waits for the database.
  expect([here.server(1, name), there.server(1, name)]).toMatchObject([{ enabled: true }, { enabled: true }]);
  await disable(id);
  await here.changed(id);
  expect([await here.server(1, name), await there.server(1, name)]).toMatchObject([
    { enabled: false },
    { enabled: false },
  ]);
  const tool = {
    ...{ serverId: id, name: 'one', askFirst: false, description: '', inputSchema: {}, definition: 'a' },
    ...{ further: null, price: 0, approvedAt: 1 },
  };
  expect(await there.tool(id, 'one')).toBeNull();
  for (const price of [1, 2]) {
    await replaceTools(database.db, id, [{ ...tool, price }], 2);
    await here.changed(id);
    expect(await there.tool(id, 'one')).toMatchObject({ price });
    expect(there.tool(id, 'one')).toMatchObject({ price });
  }
  await replaceTools(database.db, id, [], 2);
  await here.changed(id);
  expect(await there.tool(id, 'one')).toBeNull();
  await Promise.all([here.stop(), there.stop()]);
});

test('a token is cached encrypted, and dropped when it is replaced or removed', async () => {
  const { id, name } = await server();
  const shared = memoryShared();
  const [here, there] = [await warm(shared, name), await warm(shared, name)];
  const write = (before: string | null, sealed: string) => replaceOwnGrant(database.db, id, { before, sealed }, 1);
  expect(await there.grant(id, null)).toBeNull();
  await write(null, 'first');
  const kept = await there.grant(id, null);
  expect(kept).toMatchObject({ sealed: 'first' });
  // The same object: nothing was read.
  expect(await there.grant(id, null)).toBe(kept!);
  await write('first', 'second');
  await here.grantChanged(id, null);
  expect(await there.grant(id, null)).toMatchObject({ sealed: 'second' });
  await dropOwnGrant(database.db, id);
  // With a change of the server goes all that was kept of it.
  await here.changed(id);
  expect(await there.grant(id, null)).toBeNull();
  await Promise.all([here.stop(), there.stop()]);
});

test('a process that hears no invalidations trusts its cache only briefly', async () => {
  const { id, name } = await server();
  const known = await warm({ ...memoryShared(), publish: async () => {} }, name);
  heard = false;
  await disable(id);
  clock.advance(2_000);
  expect(await known.server(1, name)).toMatchObject({ enabled: false });
  heard = true;
  await known.stop();
});

test('nothing is cached until it is known whether invalidations arrive', async () => {
  const { id, name } = await server();
  const subscribed = Promise.withResolvers<() => Promise<void>>();
  const known = await warm({ publish: async () => {}, subscribe: () => subscribed.promise }, name);
  await disable(id);
  expect(await known.server(1, name)).toMatchObject({ enabled: false });
  subscribed.reject(new Error('away'));
  await known.stop();
});
