import { readFileSync } from 'node:fs';
import { RedisClient, SQL } from 'bun';
import { cpuSeconds } from './process.ts';

export const databaseUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
export const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';

/** The load on PostgreSQL and Redis, for a benchmark on the same machine. */
export interface DatabaseWatch {
  /** CPU seconds so far of both servers. */
  cpu(): number;
  /** Transactions committed so far; a single statement counts as one. */
  commits(): Promise<number>;
  /** How many backends waited for another's lock since the last call, on average. */
  waiting(): number;
  close(): Promise<void>;
}

const lookMs = 50;

export async function watchDatabase(databaseUrl: string, redisUrl: string): Promise<DatabaseWatch> {
  const sql = new SQL(databaseUrl, { max: 1 });
  const [{ pid }] = await sql.unsafe('select pg_backend_pid() as pid');
  const server = parentOf(pid);
  const redis = new RedisClient(redisUrl);
  const redisPid = Number(/process_id:(\d+)/.exec(String(await redis.send('INFO', ['server'])))?.[1]);
  redis.close();
  let looks = 0;
  let waits = 0;
  const timer = setInterval(async () => {
    const [{ n }] = await sql.unsafe(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    looks += 1;
    waits += n;
  }, lookMs);
  return {
    cpu: () => cpuSeconds(server) + cpuSeconds(redisPid),
    commits: async () => {
      // The server updates its statistics with a second's delay.
      await Bun.sleep(1_500);
      await sql.unsafe('select pg_stat_clear_snapshot()');
      const [{ n }] = await sql.unsafe(
        'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
      );
      return n;
    },
    waiting: () => {
      const mean = looks === 0 ? 0 : waits / looks;
      looks = 0;
      waits = 0;
      return mean;
    },
    close: async () => {
      clearInterval(timer);
      await sql.close();
    },
  };
}

function parentOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
}
