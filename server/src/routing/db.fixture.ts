import { afterAll } from 'bun:test';
import { SQL } from 'bun';
import { randomString } from '../lib/ids.ts';
import { migrate } from '../platform/db/migrate.ts';
import { migration as routing } from '../platform/db/migrations/0004-routing.ts';
import { decisions } from '../platform/db/migrations/0014-turns.ts';
import { keysAndNames } from '../platform/db/migrations/0034-credentials.ts';
import { keysOfTeams } from '../platform/db/migrations/0041-team-keys.ts';
import { type OpenDb, openDb } from '../platform/db/open.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';

async function open(where: { url?: string; path?: string }): Promise<OpenDb> {
  const opened = await openDb(where);
  await migrate(opened.db, [routing, decisions, keysAndNames, keysOfTeams]);
  return opened;
}

/** For tests: an empty database with the tables of routing. */
export const inMemory = (): Promise<OpenDb> => open({ path: ':memory:' });

/** The same on every engine that is reachable, one at a time; call outside of tests. */
export async function engines(): Promise<[string, () => Promise<OpenDb>][]> {
  const list: [string, () => Promise<OpenDb>][] = [['sqlite', inMemory]];
  const admin = new SQL(serverUrl, { max: 1 });
  const name = `svc_routing_${randomString(12).toLowerCase()}`;
  const created = await admin.unsafe(`create database ${name}`).then(
    () => true,
    () => false,
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  // Emptied for each test: creating a database takes PostgreSQL longer than everything else.
  const emptied = async (): Promise<OpenDb> => {
    const wiper = new SQL(url.href, { max: 1 });
    await wiper.unsafe('drop schema public cascade');
    await wiper.unsafe('create schema public');
    await wiper.close();
    return open({ url: url.href });
  };
  if (created) list.push(['postgres', emptied]);
  afterAll(async () => {
    if (created) await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  });
  return list;
}
