/** Sessions with a server of the 2025 protocol, when one of two processes is killed: the other goes on with every one of them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type McpTestServer, startMcp } from '../../server/src/mcp/mcp.fixture.ts';
import { startBalancer } from '../balancer.ts';
import { NoServer, type OwnServer, ownPostgres, ownRedis } from '../servers.ts';
import { type Service, startService } from '../service.ts';
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

/** Remembers for each session how often it was called, as nothing but the same session could tell. */
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

async function connect({ root }: Service): Promise<void> {
  const body = { name: 'counting', url: server.url, audience: 'everyone' };
  const { id } = await root.api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  const { tools } = await root.api<{ tools: { name: string; definition: string }[] }>(`/api/mcp/servers/${id}/test`, {
    method: 'POST',
  });
  const allowed = tools.map(({ name, definition }) => ({ name, definition, ask_first: false }));
  await root.api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: allowed } });
}

test('no session is lost with a process, and calls go on through the other', async () => {
  if (missing) return;
  const [one, two] = services as [Service, Service];
  await connect(one);
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
    'every client goes on in its session through the other process',
    `${kept} of ${clients} sessions went on, ${counts.filter((count) => count === 3).length} answered as the third call`,
  );
  expect(third.map((text) => text.split(' ').at(-1))).toEqual(sessionsOf(first));
  expect(counts).toEqual(counts.map(() => 3));
  for (const client of opened) await client.close();
  balancer.stop();
}, 300_000);
