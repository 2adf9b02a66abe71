import { afterAll } from 'bun:test';
import { SQL } from 'bun';
import { randomString } from '../../lib/ids.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { type OpenDb, openDb } from '../../platform/db/open.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';

export const openMemoryDb = async (): Promise<OpenDb> => {
  const opened = await openDb({ path: ':memory:' });
  await migrate(opened.db);
  return opened;
};

/** For tests: how to open an empty database with this room's tables, per engine that can be reached. */
export async function engines(): Promise<[string, () => Promise<OpenDb>][]> {
  const list: [string, () => Promise<OpenDb>][] = [['sqlite', openMemoryDb]];
  const admin = new SQL(serverUrl, { max: 1 });
  const names: string[] = [];
  const openPostgres = async () => {
    const name = `svc_orchestra_${randomString(12).toLowerCase()}`;
    await admin.unsafe(`create database ${name}`);
    names.push(name);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const opened = await openDb({ url: url.href, poolSize: 4 });
    await migrate(opened.db);
    return opened;
  };
  const reachable = await admin.unsafe('select 1').then(
    () => true,
    () => false,
  );
  if (reachable) list.push(['postgres', openPostgres]);
  afterAll(async () => {
    for (const name of names) await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  });
  return list;
}
