/**
 * The protocol's tests of clients, with the gateway as the client: a server that users sign in to, with an authorization
 * server of the test. A user connects it, signs in, allows its tools and calls one.
 */

import { join } from 'node:path';
import { callTool } from '../call-tool.ts';
import { type Service, startService } from '../service.ts';
import { joinCompany, type TestProvider } from './company.ts';
import { runProgram } from './run-program.ts';
import { program, run } from './scenarios.ts';
import type { StepResult } from './step-result.ts';
import type { World } from './world.ts';

const group = 'Authorization';

interface Given extends TestProvider {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  valid_jwt?: string;
}
interface Walked {
  url: string;
  scenario: string;
  /** What the test gives its client, for example a registered client id. */
  context: Given;
}
interface Listed {
  ok: boolean;
  error?: string;
  tools: { name: string; definition: string; problem: string | null }[];
}

/** The service, and its public address. */
interface Gateway {
  service: Service;
  address: string;
  assertionsDir: string;
}

/** The only address that the test accepts for a client metadata document; the service must be known by it. */
const documented = { scenario: 'auth/basic-cimd', address: 'https://conformance-test.local' };

/** The user's browser: follows redirects and comes back. True if the user is then signed in. */
async function signIn({ service: { url, root }, address }: Gateway, id: number): Promise<boolean> {
  const { authorization_url } = await root.api<{ authorization_url: string }>(`/api/mcp/servers/${id}/authorize`, {
    method: 'POST',
  });
  const there = await fetch(authorization_url, { redirect: 'manual' });
  const back = there.headers.get('location');
  if (!back?.startsWith(`${address}/`)) throw new Error(`the browser was sent to ${back} with ${there.status}`);
  const here = await fetch(back.replace(address, url), { redirect: 'manual', headers: { cookie: root.cookie } });
  return new URL(here.headers.get('location') ?? url, url).searchParams.has('signed_in');
}

/** Calls through the address for agents; returns the text of the answer and whether it failed. */
async function tryTool({ service: { url, key } }: Gateway, server: string, name: string): Promise<[string, boolean]> {
  const text = await callTool(`${url}/mcp/${server}`, key, name);
  return [text, !text.includes('"result"') || text.includes('"isError":true')];
}

/** When told to sign in again, the user does so at most this often. */
const mostSignIns = 3;

function authOf(scenario: string): 'oauth' | 'enterprise' | 'client_credentials' | 'jwt_bearer' {
  if (scenario.startsWith('auth/enterprise-')) return 'enterprise';
  if (scenario.startsWith('auth/wif-')) return 'jwt_bearer';
  return scenario.startsWith('auth/client-credentials') ? 'client_credentials' : 'oauth';
}

const clientOf = ({ client_id, client_secret, private_key_pem: client_key }: Walked['context']) => ({
  ...{ client_id, client_secret, client_key },
});

async function walk(gateway: Gateway, { url, scenario, context }: Walked, name: string): Promise<string> {
  const auth = authOf(scenario);
  const itself = auth !== 'oauth';
  // Some tests give other credentials too, which are not for a client that registers itself.
  const client = (itself || scenario === 'auth/pre-registration') && clientOf(context);
  // The tests act as the platform.
  const assertion = auth === 'jwt_bearer' && { assertion_file: name };
  if (assertion) await Bun.write(join(gateway.assertionsDir, name), context.valid_jwt ?? '');
  const company = auth === 'enterprise' ? await joinCompany(gateway.service, context, name) : null;
  const body = { name, url, auth, ...client, ...assertion, ...(company && { vouched_by: name }) };
  try {
    return await use(gateway, { name, body, itself });
  } finally {
    company?.stop();
  }
}

interface Connected {
  name: string;
  body: object;
  /** No user signs in to this server; the gateway does. */
  itself: boolean;
}

async function use(gateway: Gateway, { name, body, itself }: Connected): Promise<string> {
  const { api } = gateway.service.root;
  const { id } = await api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  let said = 'nothing was tried';
  for (let times = 0; times < mostSignIns; times += 1) {
    if (!itself && !(await signIn(gateway, id))) throw new Error('the sign-in failed');
    const { ok, error = '', tools } = await api<Listed>(`/api/mcp/servers/${id}/test`, { method: 'POST' });
    said = error;
    if (!ok) continue;
    const allowed = tools.filter(({ problem }) => problem === null);
    const wanted = allowed.map((tool) => ({ name: tool.name, definition: tool.definition }));
    await api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: wanted } });
    if (!wanted[0]) return 'it lists no tools';
    const [text, failed] = await tryTool(gateway, name, wanted[0].name);
    said = text;
    if (!failed) return text;
  }
  throw new Error(said);
}

/** The address where the tests' client finds this run. */
function startWalks(gatewayOf: (scenario: string) => Gateway): { url: string; stop(): void } {
  let count = 0;
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: async (request) => {
      count += 1;
      const asked = (await request.json()) as Walked;
      return walk(gatewayOf(asked.scenario), asked, `client-${count}`).then(
        (text) => new Response(text),
        (error: Error) => new Response(error.message, { status: 500 }),
      );
    },
  });
  return { url: `http://127.0.0.1:${listener.port}`, stop: () => void listener.stop(true) };
}

/** All scenarios, or the named ones. */
export async function clientScenarios(
  { service, assertionsDir }: World,
  wanted: readonly string[] = [],
): Promise<StepResult[]> {
  const listed = await runProgram({ command: [process.execPath, program, 'list', '--client'], mostMs: 60_000 });
  const all = [...listed.matchAll(/^ {2}- (auth\/\S+)/gm)].map(([, name]) => name!);
  const names = wanted.length === 0 ? all : all.filter((name) => wanted.includes(name));
  const { address } = documented;
  const other = await startService({ env: { BASE_URL: address, ALLOW_PRIVATE_WEBHOOKS: '1' } });
  const walks = startWalks((scenario) =>
    scenario === documented.scenario
      ? { service: other, address, assertionsDir }
      : { service, address: service.url, assertionsDir },
  );
  const client = `${process.execPath} ${join(import.meta.dir, 'gateway-client.ts')}`;
  const seen: StepResult[] = [];
  for (const name of names) {
    const args = ['client', '--command', client, '--scenario', name, '--timeout', '60000'];
    seen.push(...(await run(group, args, { env: { ...process.env, SVC_WALK: walks.url } })));
  }
  walks.stop();
  await other.stop();
  return seen;
}
