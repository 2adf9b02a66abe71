/** MCP sessions and tasks when one of two processes is killed: the other continues all of them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { endTask, newestClient, taskScript } from '../../server/src/mcp/front/tasks.fixture.ts';
import { type McpTestServer, startMcp } from '../../server/src/mcp/mcp.fixture.ts';
import { startBalancer } from '../balancer.ts';
import { NoServer, type OwnServer, ownPostgres, ownRedis } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { printSeen, saw } from './table.ts';

const clients = 20;
const dataDir = mkdtempSync(join(tmpdir(), 'svc-mcp-sessions-'));
let postgres: OwnServer | undefined;
let redis: OwnServer | undefined;
let missing = '';
let server: McpTestServer;
const services: Service[] = [];

beforeAll(async () => {
  try {
    [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    return console.log(`SKIPPED: sessions of MCP (${missing})`);
  }
  server = counting();
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
    ALLOW_PRIVATE_WEBHOOKS: '1',
  };
  for (let count = 0; count < 2; count += 1) services.push(await startService({ dataDir, env }));
}, 300_000);
afterAll(async () => {
  for (const service of services) await service.stop();
  server?.stop();
  await postgres?.remove();
  await redis?.remove();
  rmSync(dataDir, { recursive: true, force: true });
  printSeen();
});

/** Counts the calls per session, which shows whether a session was continued or replaced. */
function counting(): McpTestServer {
  const calls = new Map<string, number>();
  return startMcp([
    {
      name: 'count',
      answer: (_, { sessionId = 'none' }) => {
        calls.set(sessionId, (calls.get(sessionId) ?? 0) + 1);
        return `${calls.get(sessionId)} in ${sessionId}`;
      },
    },
  ]);
}

async function connect({ root }: Service, name: string, { url }: McpTestServer, price = 0): Promise<void> {
  const body = { name, url, audience: 'everyone' };
  const { id } = await root.api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  const { tools } = await root.api<{ tools: { name: string; definition: string }[] }>(`/api/mcp/servers/${id}/test`, {
    method: 'POST',
  });
  const allowed = tools.map(({ name, definition }) => ({ name, definition, ask_first: false, price }));
  await root.api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: allowed } });
}

test('MCP sessions survive a killed process and continue through the other', async () => {
  if (missing) return;
  const [one, two] = services as [Service, Service];
  await connect(one, 'counting', server);
  const balancer = await startBalancer([one.url, two.url]);
  const key = await one.root.key();
  const open = async (): Promise<Client> => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const headers = { authorization: `Bearer ${key}`, connection: 'close' };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${balancer.url}/mcp/counting`), { requestInit: { headers } }),
    );
    return client;
  };
  const opened = await Promise.all(Array.from({ length: clients }, open));
  const callAll = () =>
    Promise.all(
      opened.map(async (client) => {
        const { content } = await client.callTool({ name: 'count', arguments: {} });
        return (content as { text: string }[])[0]!.text;
      }),
    );
  const sessionsOf = (said: string[]) => said.map((text) => text.split(' ').at(-1));
  const first = await callAll();
  const second = await callAll();
  expect(new Set(sessionsOf(first)).size).toBe(clients);
  expect(sessionsOf(second)).toEqual(sessionsOf(first));
  await one.kill('SIGKILL');
  const third = await callAll();
  const counts = third.map((text) => Number.parseInt(text, 10));
  const kept = sessionsOf(third).filter((session, at) => session === sessionsOf(first)[at]).length;
  saw(
    `one of two processes killed, ${clients} clients with a session each at a 2025 MCP server`,
    'every client continues its session through the other process',
    `${kept} of ${clients} sessions continued, ${counts.filter((count) => count === 3).length} answered as the third call`,
  );
  expect(third.map((text) => text.split(' ').at(-1))).toEqual(sessionsOf(first));
  expect(counts).toEqual(counts.map(() => 3));
  for (const client of opened) await client.close();
  balancer.stop();
}, 300_000);

test('a task survives its killed process and is charged once; an unanswered call is not charged', async () => {
  if (missing) return;
  const [one, two] = services as [Service, Service];
  await one.restart();
  const [price, quota] = [700, 10_000];
  const script = taskScript();
  const endless = { name: 'endless', answer: () => new Promise(() => {}) };
  const working = startMcp([...script.tools, endless], 'modern', true, script.more);
  await connect(two, 'working', working, price);
  const user = await two.user(quota);
  const key = await user.key();
  const through = ({ post }: Service) => newestClient((path, init) => post(path, init?.body, { key, ...init }), key);
  const { result } = await through(one)('/mcp/working', 'tools/call', { name: 'wait', arguments: {} });
  const unanswered = through(one)('/mcp/working', 'tools/call', { name: 'endless', arguments: {} }).catch(() => null);
  await until('the server works on both', () => working.calls.length === 2);
  await one.kill('SIGKILL');
  expect(await unanswered).toBeNull();
  endTask(script, 'done meanwhile');
  const { taskId } = result!;
  const looks = await Promise.all([1, 2, 3].map(() => through(two)('/mcp/working', 'tasks/get', { taskId })));
  for (const look of looks)
    expect(look.result).toMatchObject({ status: 'completed', result: { content: [{ text: 'done meanwhile' }] } });
  await until('nothing is put aside any more', async () => (await two.self(user)).quota === quota - price);
  const { logs } = await user.api<{ logs: { model: string; quota: number }[] }>('/api/usage/logs');
  saw(
    'a process killed after it started a task, and while a tool was running',
    'the other returns the result of the task; it is charged once, and the unanswered call is not',
    `${looks.length} of 3 queries returned the result, ${quota - (await two.self(user)).quota} of ${quota} charged`,
  );
  expect(logs.filter((row) => row.quota > 0)).toMatchObject([{ model: 'mcp/working/wait', quota: price }]);
  expect(working.calls).toHaveLength(2);
  working.stop();
}, 300_000);
