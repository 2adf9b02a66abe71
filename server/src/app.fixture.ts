import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type App, buildApp } from './app.ts';
import { type Config, readConfig } from './config.ts';
import type { Clock } from './lib/clock.ts';
import { randomString } from './lib/ids.ts';
import { createMigrated, writeMigrated } from './platform/db/migrated.fixture.ts';
import { type Log, openLog } from './platform/log.ts';
import { openPlatform, type Platform } from './platform/open.ts';
import { rotateAway } from './rotation.fixture.ts';

const engine = process.env.SVC_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';
const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';

export const rootPassword = 'root password for tests';

/**
 * Hashing a password takes a processor fifty milliseconds, as it should, and the tests make the same few users hundreds of
 * times: each password is hashed once, and each pair compared once.
 */
function rememberHashes(): void {
  const { hash, verify } = Bun.password;
  const hashes = new Map<string, Promise<string>>();
  const verified = new Map<string, Promise<boolean>>();
  const once = <T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> => {
    const found = known.get(name) ?? make();
    known.set(name, found);
    return found;
  };
  Bun.password.hash = (password, ...cost) =>
    once(hashes, JSON.stringify([`${password}`, cost]), () => hash(password, ...cost));
  Bun.password.verify = (password, hashed, ...rest) =>
    once(verified, JSON.stringify([`${password}`, `${hashed}`]), () => verify(password, hashed, ...rest));
}
rememberHashes();

/** Writing the document takes 150 ms, and it only depends on the settings: it is written once for each of them. */
const documents = new Map<string, unknown>();

/** The whole service without a port: the same test runs on SQLite and memory, or on PostgreSQL and Redis. */
export interface TestApp {
  app: App;
  platform: Platform;
  config: Config;
  /** Calls the service; objects as body are sent as JSON. */
  call(path: string, init?: CallInit): Promise<Response>;
  /** Registers somebody (or logs root in) and returns a caller with that session. */
  user(username?: string): Promise<Member>;
  root(): Promise<Member>;
  setOption(key: string, value: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface Member {
  id: number;
  username: string;
  cookie: string;
  call(path: string, init?: CallInit): Promise<Response>;
  /** A new API key of this user, `sk-…`. */
  key(fields?: Record<string, unknown>): Promise<string>;
}

export interface CallInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

export async function openTestApp(
  options: { env?: Record<string, string>; clock?: Clock; log?: Log } = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const place = engine === 'postgres' ? await ownDatabase() : null;
  const config = readConfig({
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: rootPassword,
    LOG_LEVEL: options.log?.level ?? 'silent',
    ...(place && { DATABASE_URL: place.url, REDIS_URL: redisUrl, REDIS_PREFIX: `${place.name}:`, DATABASE_POOL: '6' }),
    ...options.env,
  });
  const file = join(config.dataDir, 'svc.db');
  if (!config.databaseUrl && !existsSync(file)) await writeMigrated(file);
  const platform = await openPlatform(config, options.log ?? openLog(config.logLevel), options.clock);
  const app = await buildApp(platform, config);
  const { document } = app;
  const settings = JSON.stringify(options.env ?? {});
  app.document = () => {
    if (!documents.has(settings)) documents.set(settings, document());
    return documents.get(settings);
  };
  const call = (path: string, init: CallInit = {}) =>
    app.fetch(requestOf(config.baseUrl, path, init)) as Promise<Response>;

  const memberOf = async (response: Response): Promise<Member> => {
    if (response.status !== 200) throw new Error(`login failed: ${response.status} ${await response.text()}`);
    const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
    const { data } = (await response.json()) as { data: { id: number; username: string } };
    const own = (path: string, init: CallInit = {}) => call(path, { ...init, headers: { cookie, ...init.headers } });
    const key = async (fields: Record<string, unknown> = {}) => {
      const made = await own('/api/tokens', { method: 'POST', body: { name: 'test', ...fields } });
      return ((await made.json()) as { data: { key: string } }).data.key;
    };
    return { id: data.id, username: data.username, cookie, call: own, key };
  };
  const root = async () =>
    memberOf(await call('/api/user/login', { method: 'POST', body: { username: 'root', password: rootPassword } }));

  return {
    app,
    platform,
    config,
    call,
    root,
    user: async (username = `user_${randomString(10)}`) =>
      memberOf(await call('/api/user/register', { method: 'POST', body: { username, password: 'a fine password' } })),
    setOption: (key, value) => app.identity.options.set(key, value),
    close: async () => {
      await app.stop();
      await rotateAway(platform.database.db).finally(() => platform.close());
      rmSync(dataDir, { recursive: true, force: true });
      await place?.drop();
    },
  };
}

function requestOf(baseUrl: string, path: string, init: CallInit): Request {
  const plain =
    init.body === undefined ||
    typeof init.body === 'string' ||
    init.body instanceof FormData ||
    init.body instanceof Uint8Array;
  const method = init.method ?? 'GET';
  const headers: Record<string, string> = { ...init.headers };
  const isForm = init.body instanceof FormData;
  if (method !== 'GET' && !isForm && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    headers['content-type'] = 'application/json';
  const body = plain
    ? (init.body as string | FormData | Uint8Array<ArrayBuffer> | undefined)
    : JSON.stringify(init.body);
  return new Request(new URL(path, baseUrl), { method, headers, body, signal: init.signal });
}

/** A database of this test's own, dropped at its end. */
async function ownDatabase(): Promise<{ url: string; name: string; drop(): Promise<void> }> {
  const name = `svc_test_${randomString(12).toLowerCase()}`;
  const admin = new SQL(serverUrl, { max: 1 });
  await createMigrated(admin, serverUrl, name);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    drop: async () => {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}
