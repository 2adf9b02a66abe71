/**
 * The protocol's tests of clients, for the part that the gateway plays as one: a server that users sign in to, with an
 * authorization server of the test's own. Somebody connects it, signs in, allows its tools and has one called.
 */

import { join } from 'node:path';
import { callTool } from '../call-tool.ts';
import { runProgram } from './run-program.ts';
import { program, run } from './scenarios.ts';
import type { Seen } from './seen.ts';
import type { World } from './world.ts';

const group = 'Authorization';

interface Walked {
  url: string;
  scenario: string;
  /** What the test gives its client, such as one that is registered already. */
  context: { client_id?: string; client_secret?: string };
}
interface Listed {
  ok: boolean;
  error?: string;
  tools: { name: string; definition: string; problem: string | null }[];
}

/** The user's browser: goes where it is sent, and comes back. True where the user is signed in then. */
async function signIn({ service: { url, root } }: World, id: number): Promise<boolean> {
  const { authorization_url } = await root.api<{ authorization_url: string }>(`/api/mcp/servers/${id}/authorize`, {
    method: 'POST',
  });
  const there = await fetch(authorization_url, { redirect: 'manual' });
  const back = there.headers.get('location');
  if (!back?.startsWith(url)) throw new Error(`the browser was sent to ${back} with ${there.status}`);
  const here = await fetch(back, { redirect: 'manual', headers: { cookie: root.cookie } });
  return new URL(here.headers.get('location') ?? url, url).searchParams.has('signed_in');
}

/** Through the address that agents use; the words of the answer, and whether it failed. */
async function tryTool({ service: { url, key } }: World, server: string, name: string): Promise<[string, boolean]> {
  const text = await callTool(`${url}/mcp/${server}`, key, name);
  return [text, !text.includes('"result"') || text.includes('"isError":true')];
}

/** Whoever is told to sign in once more does so; a person would not for ever. */
const mostSignIns = 3;

async function walk(world: World, { url, scenario, context }: Walked, name: string): Promise<string> {
  const { api } = world.service.root;
  const { client_id, client_secret } = context;
  // Others give one to programs that sign in for themselves.
  const client = scenario === 'auth/pre-registration' && { client_id, client_secret };
  const body = { name, url, auth: 'oauth', ...client };
  const { id } = await api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  let said = 'nothing was tried';
  for (let times = 0; times < mostSignIns; times += 1) {
    if (!(await signIn(world, id))) throw new Error('the sign-in failed');
    const { ok, error = '', tools } = await api<Listed>(`/api/mcp/servers/${id}/test`, { method: 'POST' });
    said = error;
    if (!ok) continue;
    const allowed = tools.filter(({ problem }) => problem === null);
    const wanted = allowed.map((tool) => ({ name: tool.name, definition: tool.definition }));
    await api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: wanted } });
    if (!wanted[0]) return 'it lists no tools';
    const [text, failed] = await tryTool(world, name, wanted[0].name);
    said = text;
    if (!failed) return text;
  }
  throw new Error(said);
}

/** Where the tests' client finds this run. */
function startWalks(world: World): { url: string; stop(): void } {
  let count = 0;
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: async (request) => {
      count += 1;
      const asked = (await request.json()) as Walked;
      return walk(world, asked, `client-${count}`).then(
        (text) => new Response(text),
        (error: Error) => new Response(error.message, { status: 500 }),
      );
    },
  });
  return { url: `http://127.0.0.1:${listener.port}`, stop: () => void listener.stop(true) };
}

export async function clientScenarios(world: World): Promise<Seen[]> {
  const listed = await runProgram({ command: [process.execPath, program, 'list', '--client'], mostMs: 60_000 });
  const names = [...listed.matchAll(/^ {2}- (auth\/\S+)/gm)].map(([, name]) => name!);
  const walks = startWalks(world);
  const client = `${process.execPath} ${join(import.meta.dir, 'gateway-client.ts')}`;
  const seen: Seen[] = [];
  for (const name of names) {
    const args = ['client', '--command', client, '--scenario', name, '--timeout', '60000'];
    seen.push(...(await run(group, args, { env: { ...process.env, SVC_WALK: walks.url } })));
  }
  walks.stop();
  return seen;
}
