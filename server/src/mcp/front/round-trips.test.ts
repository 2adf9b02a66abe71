import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test';
import { holdTime } from '../../lib/held-time.fixture.ts';
import { PostgresPool } from '../../platform/db/postgres-pool.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

// What is written later and by itself is nobody's round trip; here later does not come.
holdTime();

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

test('a warm tool call makes no database query', async () => {
  const { name } = await f.connected(f.start([echo, { name: 'other' }]));
  const first = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await f.post(`/mcp/${name}`, { jsonrpc: '2.0', id: 0, method: 'initialize', params: first });
  await begun.text();
  const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
  for (const [path, tool] of [
    [`/mcp/${name}`, 'echo'],
    ['/mcp', `${name}__echo`],
  ] as const) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: { text: 'x' } } };
    const call = async () => (await f.post(path, message, headers)).text();
    // Sessions and lists are there from now on, and what other processes change is heard.
    await call();
    await call();
    const sent = spyOn(PostgresPool.prototype, 'unsafe');
    expect(await call()).toContain('you said x');
    const trips = sent.mock.calls.length;
    sent.mockRestore();
    expect([path, trips]).toEqual([path, 0]);
  }
});
