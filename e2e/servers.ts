/** PostgreSQL and Redis servers of our own, from the installed programs, which a test can stop and restart. */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisClient, SQL } from 'bun';
import { freePort } from '../server/src/lib/free-port.fixture.ts';
import { until } from '../server/src/lib/until.fixture.ts';

export interface OwnServer {
  readonly url: string;
  /** Name of the running program. */
  readonly program: string;
  start(): Promise<void>;
  /** An orderly stop closes connections first; a crash does not. */
  stop(how?: 'orderly' | 'crash'): Promise<void>;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

export interface OwnPostgres extends OwnServer {
  /** Stops all its processes (SIGSTOP): connections stay open, but nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** Thrown if no server can be started; the message says why. */
export class NoServer extends Error {}

const isRoot = process.getuid?.() === 0;

export async function answersPostgres(url: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 10 });
  try {
    // Tests create databases, so the role must be allowed to.
    const [role] = await sql`select rolcreatedb or rolsuper as able from pg_roles where rolname = current_user`;
    return role?.able === true;
  } catch {
    return false;
  } finally {
    await sql.close().catch(() => {});
  }
}

export async function answersRedis(url: string): Promise<boolean> {
  const client = new RedisClient(url, { connectionTimeout: 10_000, autoReconnect: false });
  try {
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.close();
  }
}

async function waitFor(answers: () => Promise<boolean>, what: string): Promise<void> {
  await until(`${what} answers`, answers).catch(() => {
    throw new NoServer(`${what} was started but did not answer`);
  });
}

/** Debian installs PostgreSQL's server programs outside PATH, in one folder per version. */
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

/** Creates the folder, and returns how to run programs on it: PostgreSQL refuses to run as root. */
async function postgresPlace(): Promise<{ folder: string; as: (command: string[]) => string[] }> {
  const user = isRoot ? 'postgres' : undefined;
  const id = user ? Number((await Bun.$`id -u ${user}`.quiet().nothrow().text()).trim() || Number.NaN) : undefined;
  if (id !== undefined && !Number.isInteger(id)) throw new NoServer(`no user ${user} to run PostgreSQL as`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  if (id !== undefined) await chown(folder, id, id);
  await chmod(folder, 0o700);
  return { folder, as: (command) => (user ? ['runuser', '-u', user, '--', ...command] : command) };
}

/** A child may exit between being listed and being signalled. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const bin = await findPostgresFolder();
  if (!bin) throw new NoServer('PostgreSQL is not installed');
  const { folder, as } = await postgresPlace();
  const data = join(folder, 'data');
  const quiet = { cwd: folder, stdout: 'ignore', stderr: 'ignore' } as const;
  const run = (program: string, ...args: string[]) => Bun.spawn(as([join(bin, program), ...args]), quiet);
  if ((await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync').exited) !== 0) {
    await rm(folder, { recursive: true, force: true });
    throw new NoServer('initdb failed');
  }
  const port = freePort();
  // The data need not survive a power failure, so nothing waits for the disk. Committed data must survive a crash of
  // the server, though: synchronous_commit stays on.
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'max_connections=200'],
    ...['fsync=off', 'full_page_writes=off'],
  ].flatMap((setting) => ['-c', setting]);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: Bun.Subprocess | undefined;
  const signal = async (name: NodeJS.Signals) => {
    // The first line is the parent process. Stop it first, or it could start more children meanwhile.
    const parent = Number((await Bun.file(join(data, 'postmaster.pid')).text()).split('\n')[0]);
    process.kill(parent, name);
    const children = await Bun.$`pgrep -P ${parent}`.quiet().nothrow().text();
    for (const child of children.split('\n').filter(Boolean)) signalIfThere(Number(child), name);
  };
  const self: OwnPostgres = {
    url,
    program: join(bin, 'postgres'),
    freeze: () => signal('SIGSTOP'),
    thaw: async () => {
      await signal('SIGCONT');
      // runuser stops itself when its child is stopped, so resume it.
      server?.kill('SIGCONT');
    },
    start: async () => {
      server = run('postgres', '-D', data, ...settings);
      await waitFor(() => answersPostgres(url), 'PostgreSQL');
    },
    stop: async (how = 'crash') => {
      if (!server || server.exitCode !== null) return;
      // A stopped process cannot handle a termination signal.
      await self.thaw().catch(() => {});
      await run('pg_ctl', 'stop', '-m', how === 'orderly' ? 'fast' : 'immediate', '-D', data).exited;
      await server.exited;
    },
    remove: async () => {
      await self.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await startOrRemove(self);
  return self;
}

export async function ownRedis(): Promise<OwnServer> {
  const program = Bun.which('redis-server');
  if (!program) throw new NoServer('Redis is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'));
  const port = freePort();
  const url = `redis://127.0.0.1:${port}`;
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  let server: Bun.Subprocess | undefined;
  const self: OwnServer = {
    url,
    program,
    start: async () => {
      server = Bun.spawn([program, ...options], { stdout: 'ignore', stderr: 'ignore' });
      await waitFor(() => answersRedis(url), 'redis-server');
    },
    stop: async (how = 'crash') => {
      server?.kill(how === 'orderly' ? 'SIGTERM' : 'SIGKILL');
      await server?.exited;
    },
    remove: async () => {
      await self.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await startOrRemove(self);
  return self;
}

async function startOrRemove(server: OwnServer): Promise<void> {
  try {
    await server.start();
  } catch (error) {
    await server.remove();
    throw error;
  }
}
