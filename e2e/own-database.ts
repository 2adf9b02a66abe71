/** The PostgreSQL and Redis servers of the test run, with a separate database per test. */
import { SQL } from 'bun';
import { randomString } from '../server/src/lib/ids.ts';
import { createMigrated } from '../server/src/platform/db/migrated.fixture.ts';
import { answersPostgres, answersRedis } from './servers.ts';

const postgresUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const redisUrl = process.env.REDIS_URL_TEST ?? 'redis://127.0.0.1:6379';

export const hasPostgres = (): Promise<boolean> => answersPostgres(postgresUrl);
export const hasBoth = async (): Promise<boolean> => (await hasPostgres()) && answersRedis(redisUrl);

export interface OwnDatabase {
  url: string;
  /** Environment of services that share the database. */
  env: Record<string, string>;
  /** The same, plus Redis. */
  withRedis: Record<string, string>;
  drop(): Promise<void>;
}

/** Created with all tables: creating them takes longer than the rest of a start. */
export async function ownDatabase(): Promise<OwnDatabase> {
  const name = `svc_e2e_${randomString(12).toLowerCase()}`;
  const admin = new SQL(postgresUrl, { max: 1 });
  await createMigrated(admin, postgresUrl, name);
  const { href: url } = Object.assign(new URL(postgresUrl), { pathname: `/${name}` });
  const env = { DATABASE_URL: url, DATABASE_POOL: '5', ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) };
  return {
    url,
    env,
    withRedis: { ...env, REDIS_URL: redisUrl, REDIS_PREFIX: `${name}:` },
    drop: async () => {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}
