import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { memoryShared } from '../../platform/shared/memory.ts';
import { EndedSessions } from './ended-sessions.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterEach(() => f.tidy());
afterAll(() => f.t.close());

const begin = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {} },
};
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } };
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

async function sessionAt(path: string): Promise<Record<string, string>> {
  const params = { ...begin.params, clientInfo: { name: 'test', version: '1' } };
  const answer = await f.post(path, { ...begin, params });
  expect(answer.status).toBe(200);
  // The revision that has several messages in one request.
  return { 'mcp-session-id': answer.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-03-26' };
}

test('a session ended by its client is gone, and no other session ends with it', async () => {
  const server = f.start([echo], 'sessions');
  const path = `/mcp/${(await f.connected(server)).name}`;
  const [ended, other] = [await sessionAt(path), await sessionAt(path)];
  const end = () => f.t.call(path, { method: 'DELETE', headers: { authorization: `Bearer ${f.key}`, ...ended } });
  expect((await f.post(path, call, ended)).status).toBe(200);
  expect((await end()).status).toBe(204);
  const opened = server.opened;
  for (const message of [
    call,
    list,
    [list, { ...list, id: 3 }],
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ])
    expect((await f.post(path, message, ended)).status).toBe(404);
  const listening = { authorization: `Bearer ${f.key}`, accept: 'text/event-stream', ...ended };
  expect((await f.t.call(path, { headers: listening })).status).toBe(404);
  expect((await end()).status).toBe(404);
  // Nothing was begun with the server behind for any of them.
  expect(server.opened).toBe(opened);
  expect((await f.post(path, call, other)).status).toBe(200);
});

test('all processes learn of it and remember recently ended sessions', async () => {
  const shared = memoryShared();
  const [one, two] = [new EndedSessions(shared), new EndedSessions(shared)];
  expect(two.has('1 key a')).toBe(false);
  await one.end('1 key a');
  expect([one.has('1 key a'), two.has('1 key a'), two.has('1 key b')]).toEqual([true, true, false]);
  for (let i = 0; i < 10_000; i += 1) await one.end(`1 key ${i}`);
  expect([two.has('1 key a'), two.has('1 key 0'), two.has('1 key 9999')]).toEqual([false, true, true]);
  await one.stop();
  await two.stop();
});
