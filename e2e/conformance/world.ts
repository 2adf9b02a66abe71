/** The service with the reference server of each era behind it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpTestServer } from '../../server/src/mcp/mcp.fixture.ts';
import { browserMissing, openSite, type Site } from '../browser.ts';
import { type Service, startService } from '../service.ts';
import { type Era, startReference } from './reference-server.ts';
import { refusedTool } from './reference-tools.ts';

export interface World {
  service: Service;
  /** Null without a browser. */
  site: Site | null;
  behind: Record<Era, McpTestServer>;
  /** The folder where the service finds its platform token. */
  assertionsDir: string;
  stop(): Promise<void>;
}

/** Servers are named by the era of the protocol that they use. */
export async function openWorld(): Promise<World> {
  const assertionsDir = mkdtempSync(join(tmpdir(), 'svc-assertions-'));
  const own = { ALLOW_PRIVATE_WEBHOOKS: '1', MCP_ASSERTIONS_DIR: assertionsDir };
  const env = { OPENID_CONNECT: '1', DEMO_PROVIDER: 'on', ...own };
  const site = browserMissing ? null : await openSite(env);
  const service = site?.service ?? (await startService({ env }));
  await service.root.api('/api/admin/options', {
    method: 'PUT',
    body: { key: 'OAuth2DynamicRegistration', value: true },
  });
  const behind = { sessions: startReference('sessions'), modern: startReference('modern') };
  for (const era of ['sessions', 'modern'] as const) await connect(service, era, behind[era].url);
  return {
    ...{ service, site, behind, assertionsDir },
    stop: async () => {
      for (const server of Object.values(behind)) server.stop();
      await (site ?? service).stop();
      rmSync(assertionsDir, { recursive: true });
    },
  };
}

type Listed = { tools: { name: string; definition: string; problem: string | null }[] };

/** Connected for everyone with all its tools, except one that is to be refused. */
async function connect({ root }: Service, name: string, url: string): Promise<void> {
  const body = { name, url, audience: 'everyone', offers: ['resources', 'prompts'] };
  const { id } = await root.api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  const { tools } = await root.api<Listed>(`/api/mcp/servers/${id}/test`, { method: 'POST' });
  const allowed = tools
    .filter((tool) => tool.problem === null && tool.name !== refusedTool)
    .map((tool) => ({ name: tool.name, definition: tool.definition, ask_first: false }));
  await root.api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: allowed } });
}

/** The tests send no credentials: this proxy adds a key and changes nothing else. */
export function startKeyed({ url, key }: Pick<Service, 'url' | 'key'>): { url: string; stop(): void } {
  const own = (): string => `http://127.0.0.1:${listener.port}`;
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${key}`);
      // A page at the proxy's address counts as a page of the service.
      if (headers.get('origin') === own()) headers.set('origin', url);
      const { pathname, search } = new URL(request.url);
      const { method, signal } = request;
      const body = method === 'POST' ? await request.arrayBuffer() : null;
      const answer = await fetch(url + pathname + search, { method, headers, body, signal, redirect: 'manual' });
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    },
  });
  return { url: own(), stop: () => void listener.stop(true) };
}
