import { join } from 'node:path';
import type { Load } from './load.ts';
import { freePort, type Running, start } from './process.ts';
import type { Service } from './service.ts';

const params = { name: 'echo', arguments: { text: 'Say hello to the people who read this benchmark.' } };
export const callOf = (more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more } });
export const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

export const startMcpUpstream = (): Promise<Running> =>
  start('MCP server', [process.execPath, join(import.meta.dir, '../peers/mcp-upstream.ts')], { port: freePort() });

/** Afterwards the server is available at `/mcp/bench`. */
export async function connect(service: Service, url: string): Promise<void> {
  const server = { name: 'bench', url, audience: 'everyone' };
  const { data } = (await service.call('/api/mcp/servers', 'POST', server)) as { data: { id: number } };
  const listed = (await service.call(`/api/mcp/servers/${data.id}/test`, 'POST')) as {
    data: { tools: { name: string; definition: string }[] };
  };
  const tools = listed.data.tools.map(({ name, definition }) => ({ name, definition, ask_first: false }));
  await service.call(`/api/mcp/servers/${data.id}/tools`, 'PUT', { tools });
  await service.call('/api/admin/options', 'PUT', { key: 'RateLimitMcp', value: 100_000_000 });
}

/** Starts a session like a 2025 client, and returns the headers for what follows. */
export async function begin(service: Service): Promise<Record<string, string>> {
  const clientInfo = { name: 'bench', version: '1' };
  const asked = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const headers = { ...accept, authorization: `Bearer ${service.key}` };
  const answer = await fetch(`${service.url}/mcp/bench`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: asked }),
  });
  await answer.text();
  const session = answer.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session was started: ${answer.status}`);
  return { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
}

export type Contender = Pick<Load, 'url' | 'headers' | 'body'>;

export const throughProxy = (proxy: Running): Contender => ({
  url: `${proxy.url}/mcp`,
  headers: accept,
  body: callOf(),
});

export const of2025 = async (service: Service): Promise<Contender> => ({
  url: `${service.url}/mcp/bench`,
  headers: await begin(service),
  body: callOf(),
});

export function ofNewest(service: Service): Contender {
  const said = 'io.modelcontextprotocol/';
  const _meta = { [`${said}protocolVersion`]: '2026-07-28', [`${said}clientCapabilities`]: {} };
  const named = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const headers = { ...accept, ...named, authorization: `Bearer ${service.key}` };
  return { url: `${service.url}/mcp/bench`, headers, body: callOf({ _meta }) };
}
