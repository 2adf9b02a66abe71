/** The service as users see it: a separate process on a free port, with its own data directory. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../server/src/lib/free-port.fixture.ts';
import { randomString } from '../server/src/lib/ids.ts';
import { until } from '../server/src/lib/until.fixture.ts';
import runtimeEnvironment from '../server/src/runtime-environment.json' with { type: 'json' };
import { main, program } from './program.ts';

export { freePort, until };

export const rootPassword = 'root password for tests';

export interface Caller {
  id: number;
  cookie: string;
  /** Calls the management API; throws unless the call succeeds. */
  api<T = Record<string, unknown>>(path: string, init?: { method?: string; body?: unknown }): Promise<T>;
  key(fields?: Record<string, unknown>): Promise<string>;
}

export interface Self {
  quota: number;
  used_quota: number;
  request_count: number;
}

/** A model and its provider; prices in USD per million tokens. */
export interface ModelSetup {
  kind: 'openai' | 'anthropic' | 'gemini';
  url: string;
  /** Default: a unique name, so that tests do not interfere. */
  modelId?: string;
  modelName?: string;
  provider?: string;
  type?: string;
  timeoutMs?: number;
  promptPrice?: number;
  completionPrice?: number;
  requestPrice?: number;
  maxOutputTokens?: number;
  credential?: string;
  capabilities?: Record<string, boolean>;
}

export interface Served {
  modelId: string;
  provider: string;
  channelId: number;
}

export interface Service {
  readonly url: string;
  readonly dataDir: string;
  readonly root: Caller;
  serve(setup: ModelSetup): Promise<Served>;
  /** Creates a user with this balance. */
  user(quota?: number): Promise<Caller>;
  self(caller: Caller): Promise<Self>;
  /** Uses a key of root's unless another is given. */
  post(path: string, body: unknown, init?: PostInit): Promise<Response>;
  readonly key: string;
  rssBytes(): Promise<number>;
  pid(): number;
  /** Everything that the process has printed so far. */
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<number>;
  /** Starts a new process with the same port and data, optionally of another program. */
  restart(other?: string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface PostInit {
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface StartOptions {
  env?: Record<string, string>;
  /** The host name in its URL; default 127.0.0.1. */
  host?: string;
  dataDir?: string;
  /** A module to load before the service; runs the sources. */
  preload?: string;
  /** Default: the program under test. */
  program?: string[];
}

export async function startService(options: StartOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? newFolder(options);
  const port = freePort();
  const url = `http://${options.host ?? '127.0.0.1'}:${port}`;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    ...runtimeEnvironment,
    PORT: `${port}`,
    BASE_URL: url,
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: rootPassword,
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const own = options.program ?? program;
  const command = options.preload ? [process.execPath, '--preload', options.preload, main] : own;
  let running = await launch(url, env, command);
  const root = await login(url, 'root', rootPassword);
  await root.api('/api/admin/options', { method: 'PUT', body: { key: 'RateLimitEnabled', value: false } });
  const key = await root.key();
  let stopped = false;
  return {
    url,
    dataDir,
    root,
    key,
    serve: (setup) => addModel(root, setup),
    user: async (quota = 0) => {
      const username = `user_${randomString(10)}`;
      const user = await enter(url, '/api/user/register', { username, password: 'a fine password' });
      if (quota > 0) await root.api(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota } });
      return user;
    },
    self: (caller) => caller.api<Self>('/api/user/self'),
    post: (path, body, init = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${init.key ?? key}`,
          'content-type': 'application/json',
          ...init.headers,
        },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
        ...(init.signal && { signal: init.signal }),
      }),
    rssBytes: async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    },
    pid: () => running.child.pid,
    output: () => running.output(),
    kill: async (signal = 'SIGKILL') => {
      running.child.kill(signal);
      return running.child.exited;
    },
    restart: async (other = command) => {
      running = await launch(url, env, other);
    },
    stop: async () => {
      if (stopped) return;
      stopped = true;
      running.child.kill('SIGKILL');
      await running.child.exited;
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Creating the tables takes half of a first start. `npm test` lets the program create them once with `svc migrate`, and
 * passes the file here. Another program may have other tables; a given data folder is used as it is.
 */
function newFolder({ env, program }: StartOptions): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  const tables = process.env.SVC_EMPTY_DATABASE;
  if (tables && !program && !env?.DATABASE_URL) copyFileSync(tables, join(folder, 'svc.db'));
  return folder;
}

interface Running {
  child: Bun.Subprocess;
  output(): string;
}

async function launch(url: string, env: Record<string, string>, command: string[]): Promise<Running> {
  let output = '';
  const child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  void gather(child.stdout);
  void gather(child.stderr);
  const ready = async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok === true;
  try {
    await until('the service is ready or has ended', async () => child.exitCode !== null || (await ready()));
    if (child.exitCode === null) return { child, output: () => output };
  } catch {
    child.kill('SIGKILL');
  }
  throw new Error(`the service did not start:\n${output}`);
}

export const login = (url: string, username: string, password: string): Promise<Caller> =>
  enter(url, '/api/user/login', { username, password });

async function enter(url: string, path: string, body: unknown): Promise<Caller> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  const { data } = (await response.json()) as { data: { id: number } };
  const api: Caller['api'] = async (path, init = {}) => {
    const answer = await fetch(url + path, {
      method: init.method ?? 'GET',
      headers: { cookie, 'content-type': 'application/json' },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text).data;
  };
  const key = async (fields: Record<string, unknown> = {}) =>
    (await api<{ key: string }>('/api/tokens', { method: 'POST', body: { name: 'test', ...fields } })).key;
  return { id: data.id, cookie, api, key };
}

async function addModel(root: Caller, setup: ModelSetup): Promise<Served> {
  const unique = randomString(8).toLowerCase();
  const provider = setup.provider ?? `p-${unique}`;
  const modelId = setup.modelId ?? `test/${unique}`;
  const channel = await root.api<{ id: number }>('/api/admin/channels', {
    method: 'POST',
    body: {
      name: provider,
      provider,
      kind: setup.kind,
      base_url: setup.url,
      credential: setup.credential ?? `sk-upstream-secret-${unique}`,
      ...(setup.timeoutMs !== undefined && { timeout_ms: setup.timeoutMs }),
    },
  });
  await root.api('/api/admin/provider-models', {
    method: 'POST',
    body: {
      model_id: modelId,
      channel_id: channel.id,
      model_name: setup.modelName ?? `upstream-${unique}`,
      type: setup.type ?? 'chat',
      prompt_price: setup.promptPrice ?? 0,
      completion_price: setup.completionPrice ?? 0,
      request_price: setup.requestPrice ?? 0,
      ...(setup.maxOutputTokens !== undefined && { max_output_tokens: setup.maxOutputTokens }),
      ...(setup.capabilities && { capabilities: setup.capabilities }),
    },
  });
  return { modelId, provider, channelId: channel.id };
}
