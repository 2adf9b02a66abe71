import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { writeMigrated } from '../platform/db/migrated.fixture.ts';
import { missingDatabase } from '../platform/missing-database.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-backup-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (command: typeof backup, dataDir: string, folder: string): Promise<number> =>
  command({ config: readConfig({ DATA_DIR: dataDir }), args: [folder], flags: new Set(), env: {}, print: () => {} });

async function dataFolder(name: string): Promise<string> {
  const folder = join(place, name);
  mkdirSync(folder);
  await writeMigrated(join(folder, 'svc.db'));
  return folder;
}

test('a backup made between a crash in a key rotation and its repetition contains both keys', async () => {
  const dataDir = await dataFolder('rotating');
  const keys = { 'encryption.key': 'ab'.repeat(32), 'encryption.key.new': 'cd'.repeat(32) };
  for (const [name, key] of Object.entries(keys)) writeFileSync(join(dataDir, name), key);
  expect(await run(backup, dataDir, join(place, 'of-rotating'))).toBe(0);
  expect(await run(restore, join(place, 'rotated'), join(place, 'of-rotating'))).toBe(0);
  for (const [name, key] of Object.entries(keys)) expect(readFileSync(join(place, 'rotated', name), 'utf8')).toBe(key);
});

test('a copy of the data folder of a service that was killed is restored with its last writes', async () => {
  const dataDir = await dataFolder('killed');
  const database = new Database(join(dataDir, 'svc.db'));
  database.run('pragma journal_mode = wal');
  database.run('create table written (value integer)');
  database.run('insert into written values (42)');
  // What a killed process leaves: the last writes are in the log only.
  cpSync(dataDir, join(place, 'copy'), { recursive: true });
  database.close();
  expect(await run(restore, join(place, 'restored'), join(place, 'copy'))).toBe(0);
  const restored = new Database(join(place, 'restored', 'svc.db'));
  expect(restored.query('select value from written').all()).toEqual([{ value: 42 }]);
  restored.close();
});

test('of several backups to one folder at once one is made, and stays', async () => {
  const dataDir = await dataFolder('busy');
  for (const existing of [false, true]) {
    const folder = join(place, `shared-${existing}`);
    if (existing) mkdirSync(folder);
    const codes = await Promise.all([1, 2, 3].map(() => run(backup, dataDir, folder)));
    expect(codes.toSorted()).toEqual([0, 1, 1]);
    expect(readdirSync(folder).toSorted()).toEqual(['backup.json', 'svc.db']);
    expect(await run(restore, join(place, `of-shared-${existing}`), folder)).toBe(0);
  }
});

test('a restore that ends in the middle leaves nothing that starts as if it were whole', async () => {
  const backedUp = await dataFolder('whole');
  mkdirSync(join(backedUp, 'blobs/data'), { recursive: true });
  for (const file of ['encryption.key', 'encryption.key.new', 'blobs/data/picture', 'svc.db-wal'])
    writeFileSync(join(backedUp, file), '');
  // Nothing can be renamed over a folder with something in it.
  for (const stopsAt of ['encryption.key', 'encryption.key.new']) {
    const dataDir = join(place, `stopped-at-${stopsAt}`);
    mkdirSync(join(dataDir, stopsAt, 'inner'), { recursive: true });
    await expect(run(restore, dataDir, backedUp)).rejects.toThrow('The backup cannot be restored');
    expect(existsSync(join(dataDir, 'svc.db'))).toBe(false);
  }
  // Killed while it still copied to the side.
  const copying = join(place, 'copying');
  mkdirSync(join(copying, 'restoring'), { recursive: true });
  expect(missingDatabase(copying)).toContain('svc restore');
  expect(await run(restore, copying, backedUp)).toBe(0);
  expect(readdirSync(copying)).not.toContain('restoring');
});
