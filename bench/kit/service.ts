import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, plainBun, type Running, start } from './process.ts';

const password = 'benchmark password';

/**
 * The product as shipped: the executable that `npm start` runs, with keys, limits, routing, billing and decision log;
 * only the rate limits are raised.
 */
export interface Service extends Running {
  cookie: string;
  key: string;
  call(path: string, method: string, body?: unknown): Promise<Record<string, unknown>>;
}

const raised = [
  'RateLimitV1',
  'RateLimitApi',
  'RateLimitOAuthToken',
  'RateLimitOAuthPushed',
  'RateLimitOAuthDevice',
  'RateLimitOAuthRevoke',
  'RateLimitOAuthIntrospect',
  'RateLimitOAuthUserinfo',
  'RateLimitOAuthAuthorize',
  'RateLimitOAuthAuthorizePost',
];

export const thisCheckout = join(import.meta.dir, '../..');

/** With a checkout, runs its sources: for comparing versions, and for what only an interpreter can load. */
export async function startService(
  env: Record<string, string> = {},
  name = 'svc',
  checkout?: string,
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const port = freePort();
  const compiled = checkout ? undefined : process.env.SVC_PROGRAM;
  const sources = [process.execPath, join(checkout ?? thisCheckout, 'server/src/main.ts')];
  const running = await start(name, compiled ? [compiled] : sources, {
    port,
    path: '/readyz',
    env: {
      DATA_DIR: folder,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'error',
      ...settingsOf(checkout ?? thisCheckout),
      ...env,
    },
  });
  const login = await fetch(`${running.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password }),
  });
  const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
  const call = async (path: string, method: string, body?: unknown) => {
    const response = await fetch(running.url + path, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  for (const key of raised)
    await call('/api/admin/options', 'PUT', { key, value: 100_000_000 }).catch((error) => {
      // An earlier version may not have the option yet.
      if (!checkout || !String(error).includes('There is no option')) throw error;
    });
  // No option raises the limit per application, so it is disabled.
  await call('/api/admin/options', 'PUT', { key: 'AppRateLimitEnabled', value: false });
  const made = (await call('/api/tokens', 'POST', { name: 'bench' })) as { data: { key: string } };
  return {
    ...running,
    cookie,
    key: made.data.key,
    call,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What its `npm start` sets for Bun. */
function settingsOf(checkout: string): Record<string, string> {
  const file = join(checkout, 'server/src/runtime-environment.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : plainBun;
}

/** Creates this many users with a balance each and returns their keys. */
export async function addUsers(service: Service, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const username = `bench${i}_${Date.now() % 1e9}`;
    const registered = await send(service.url, '/api/user/register', { username, password });
    const { data } = (await registered.json()) as { data: { id: number } };
    await service.call(`/api/admin/users/${data.id}/credits`, 'POST', { quota: 10_000_000_000, note: 'benchmark' });
    const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
    const made = await send(service.url, '/api/tokens', { name: 'bench' }, { cookie });
    keys.push(((await made.json()) as { data: { key: string } }).data.key);
  }
  return keys;
}

const send = (url: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** A channel to the benchmark's upstream with a priced model, so that billing is exercised. */
export async function addChannel(service: Service, upstreamUrl: string): Promise<void> {
  const { data } = (await service.call('/api/admin/channels', 'POST', {
    name: 'bench',
    provider: 'bench',
    kind: 'openai',
    base_url: `${upstreamUrl}/v1`,
    credential: 'sk-upstream-credential',
  })) as { data: { id: number } };
  await service.call('/api/admin/provider-models', 'POST', {
    model_id: 'bench/model',
    channel_id: data.id,
    model_name: 'bench-model',
    type: 'chat',
    prompt_price: 0.5,
    completion_price: 1.5,
    context_length: 128_000,
    max_output_tokens: 4_096,
  });
  // With prices of one unit the balance lasts for hundreds of thousands of requests.
  await service.call('/api/admin/users/1/credits', 'POST', { quota: 500_000_000_000, note: 'benchmark' });
}

export const chatBody = (stream = false): string =>
  JSON.stringify({
    model: 'bench/model',
    stream,
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'You are a helpful assistant that answers briefly.' },
      { role: 'user', content: 'Say hello to the people who read this benchmark, in one short sentence please.' },
    ],
  });
