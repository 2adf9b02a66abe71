import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { writeMigrated } from '../platform/db/migrated.fixture.ts';
import { lockDataFolder } from '../platform/owner-lock.ts';
import { compact } from './compact.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-compact-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (dataDir: string) =>
  compact({ config: readConfig({ DATA_DIR: dataDir }), args: [], flags: new Set(), env: {}, print: () => {} });

/** As a killed service leaves it: with a log beside it. Of 2,000 rows of a kilobyte, ten are left. */
async function usedFolder(name: string): Promise<string> {
  const [made, folder] = [join(place, `${name}-made`), join(place, name)];
  mkdirSync(made);
  await writeMigrated(join(made, 'svc.db'));
  const database = new Database(join(made, 'svc.db'));
  database.run('pragma journal_mode = wal');
  database.run('create table notes (id integer primary key autoincrement, text)');
  database.run(
    'insert into notes (text) with recursive n (i) as (values (1) union all select i + 1 from n where i < 2000) select hex(randomblob(500)) from n',
  );
  database.run('delete from notes where id > 10');
  cpSync(made, folder, { recursive: true });
  database.close();
  return folder;
}

test('the file shrinks, and keeps its rows, sequences and mode', async () => {
  const folder = await usedFolder('used');
  const file = join(folder, 'svc.db');
  const whole = await usedFolder('compared').then((other) => {
    const database = new Database(join(other, 'svc.db'));
    database.run('pragma wal_checkpoint(truncate)');
    database.close();
    return statSync(join(other, 'svc.db')).size;
  });
  // What a killed run left.
  writeFileSync(`${file}.compact`, 'half');
  expect(await run(folder)).toBe(0);
  expect(whole - statSync(file).size).toBeGreaterThan(1_900_000);
  expect(readdirSync(folder).filter((name) => name.startsWith('svc.db'))).toEqual(['svc.db']);
  const database = new Database(file);
  expect(database.query('select count(*) as rows from notes').get()).toEqual({ rows: 10 });
  expect(database.query('select seq from sqlite_sequence where name = ?').get('notes')).toEqual({ seq: 2000 });
  expect(database.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
});

test('a running service is not disturbed', async () => {
  const folder = await usedFolder('running');
  const unlock = lockDataFolder(folder);
  const before = statSync(join(folder, 'svc.db')).size;
  await expect(run(folder)).rejects.toThrow('already uses the data folder');
  expect(statSync(join(folder, 'svc.db')).size).toBe(before);
  unlock();
});
