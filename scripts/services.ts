/** PostgreSQL and Redis for the test run: given ones, those of this machine, or own ones started for the time of the run. */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RedisClient, SQL } from 'bun';

export interface Service {
  /** Undefined when there is none; then `note` says why. */
  url: string | undefined;
  note: string;
  stop(): Promise<void>;
}

const nothingToStop = async (): Promise<void> => {};
const isRoot = process.getuid?.() === 0;

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

async function answersPostgres(url: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 2 });
  try {
    // Tests make databases of their own.
    const [role] = await sql`select rolcreatedb or rolsuper as able from pg_roles where rolname = current_user`;
    return role?.able === true;
  } catch {
    return false;
  } finally {
    await sql.close().catch(() => {});
  }
}

async function answersRedis(url: string): Promise<boolean> {
  const client = new RedisClient(url, { connectionTimeout: 1000, autoReconnect: false });
  try {
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.close();
  }
}

async function waitFor(answers: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (await answers()) return true;
    await Bun.sleep(100);
  }
  return false;
}

/** Debian keeps PostgreSQL's server programs out of PATH, in a folder per version. */
async function findPostgresFolder(): Promise<string | undefined> {
  const initdb = Bun.which('initdb');
  if (initdb && existsSync(join(initdb, '../postgres'))) return join(initdb, '..');
  const versions = await readdir('/usr/lib/postgresql').catch(() => [] as string[]);
  const newest = versions
    .map(Number)
    .filter(Number.isFinite)
    .sort((a, b) => b - a);
  return newest.map((version) => `/usr/lib/postgresql/${version}/bin`).find((bin) => existsSync(join(bin, 'initdb')));
}

async function startPostgres(bin: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  // PostgreSQL refuses to run as root.
  const user = isRoot ? 'postgres' : undefined;
  const as = (command: string[]): string[] => (user ? ['runuser', '-u', user, '--', ...command] : command);
  if (user) {
    const id = Number((await Bun.$`id -u ${user}`.quiet().nothrow().text()).trim() || Number.NaN);
    if (!Number.isInteger(id))
      return { url: undefined, note: `no user ${user} to run PostgreSQL as`, stop: nothingToStop };
    await chown(folder, id, id);
  }
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  const quiet = { cwd: folder, stdout: 'ignore', stderr: 'ignore' } as const;
  const remove = () => rm(folder, { recursive: true, force: true });

  const initdb = as([join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  if ((await Bun.spawn(initdb, quiet).exited) !== 0) {
    await remove();
    return { url: undefined, note: 'initdb failed', stop: nothingToStop };
  }
  const port = freePort();
  // Nothing here must survive a power cut, so nothing waits for the disk.
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'max_connections=200'],
    ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
  ].flatMap((setting) => ['-c', setting]);
  const server = Bun.spawn(as([join(bin, 'postgres'), '-D', data, ...settings]), quiet);
  const stop = async (): Promise<void> => {
    await Bun.spawn(as([join(bin, 'pg_ctl'), 'stop', '-m', 'immediate', '-D', data]), quiet).exited;
    await server.exited;
    await remove();
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  if (await waitFor(() => answersPostgres(url), 20_000)) return { url, note: `started ${bin}/postgres`, stop };
  await stop();
  return { url: undefined, note: 'PostgreSQL was started but did not answer', stop: nothingToStop };
}

async function startRedis(program: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'));
  const port = freePort();
  const server = Bun.spawn(
    [program, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `redis://127.0.0.1:${port}`;
  if (await waitFor(() => answersRedis(url), 10_000)) return { url, note: `started ${program}`, stop };
  await stop();
  return { url: undefined, note: 'redis-server was started but did not answer', stop: nothingToStop };
}

export async function preparePostgres(): Promise<Service> {
  const given = process.env.DATABASE_URL_TEST;
  if (given) return { url: given, note: 'DATABASE_URL_TEST', stop: nothingToStop };
  for (const login of new Set([userInfo().username, 'postgres', 'postgres:postgres'])) {
    const url = `postgres://${login}@127.0.0.1:5432/postgres`;
    if (await answersPostgres(url)) return { url, note: 'the one on 127.0.0.1:5432', stop: nothingToStop };
  }
  const bin = await findPostgresFolder();
  return bin ? startPostgres(bin) : { url: undefined, note: 'PostgreSQL is not installed', stop: nothingToStop };
}

export async function prepareRedis(): Promise<Service> {
  const given = process.env.REDIS_URL_TEST;
  if (given) return { url: given, note: 'REDIS_URL_TEST', stop: nothingToStop };
  const local = 'redis://127.0.0.1:6379';
  if (await answersRedis(local)) return { url: local, note: 'the one on 127.0.0.1:6379', stop: nothingToStop };
  const program = Bun.which('redis-server');
  return program ? startRedis(program) : { url: undefined, note: 'Redis is not installed', stop: nothingToStop };
}

/** The system's Chromium, installed with apt-get where it is missing and we may. */
export async function prepareChromium(): Promise<Service> {
  const find = (): string | undefined =>
    process.env.CHROMIUM_PATH ??
    ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
      .map((name) => Bun.which(name))
      .find(Boolean) ??
    undefined;
  const found = find();
  if (found) return { url: found, note: found, stop: nothingToStop };
  if (!isRoot || !Bun.which('apt-get')) {
    return { url: undefined, note: 'Chromium is not installed', stop: nothingToStop };
  }
  console.log('installing chromium with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const command = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium';
  const code = await Bun.spawn(['sh', '-c', command], { env, stdout: 'ignore', stderr: 'inherit' }).exited;
  const installed = find();
  if (code === 0 && installed) return { url: installed, note: `${installed} (installed now)`, stop: nothingToStop };
  return { url: undefined, note: 'Chromium could not be installed', stop: nothingToStop };
}
