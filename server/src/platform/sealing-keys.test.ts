import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { engines } from './db/engines.fixture.ts';
import { migrate } from './db/migrate.ts';
import { migrations } from './db/migrations/index.ts';
import { resealing } from './db/reseal.ts';
import type { Db } from './db/tables.ts';
import { keepOnlyKey, keyEntry, openSealingKeys } from './sealing-keys.ts';
import { StartFault } from './start-fault.ts';

const [former, current] = ['ab', 'cd'].map((byte) => byte.repeat(32)) as [string, string];
const idOf = (hex: string): string => keyEntry(Buffer.from(hex, 'hex')).id;

// As the store of channels does, which is not loaded here.
resealing('channels', ['id'], 'credential');
let channels = 0;
const storeSealed = (db: Db, hex: string | null) =>
  sql`insert into channels (name, provider, kind, base_url, credential, priority, weight, status, models,
    group_name, timeout_ms, created_at, updated_at) values (${`c${++channels}`}, 'openai', 'openai', 'http://x',
    ${hex === null ? '' : `s1.${idOf(hex)}.${'A'.repeat(40)}`}, 0, 1, 1, '', '', 1000, 0, 0)`.execute(db);

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-sealing-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));
const file = (name = 'encryption.key') => join(dataDir, name);

interface Case {
  name: string;
  configured?: string;
  old?: string;
  inFile?: string;
  /** The first key that seals; or what the refusal says. */
  seals?: string;
  says?: string;
}

/** Every way to come back to a database whose secrets are sealed with the former key. */
const cases: Case[] = [
  { name: 'the same key', configured: former, seals: former },
  { name: 'the same key in capitals', configured: former.toUpperCase(), seals: former },
  { name: 'the same key in its file now', inFile: former, seals: former },
  { name: 'a new key and the old one', configured: current, old: former, seals: current },
  { name: 'a new key file and the old key', inFile: current, old: former, seals: current },
  { name: 'the same key twice', configured: former, old: former, seals: former },
  { name: 'no key at all', says: 'encryption.key is missing' },
  { name: 'another key', configured: current, says: 'another key than ENCRYPTION_KEY' },
  { name: 'another key file', inFile: current, says: 'not the one in' },
  { name: 'another old key', configured: current, old: 'ef'.repeat(32), says: 'another key than ENCRYPTION_KEY' },
  {
    name: 'a new key beside its file',
    configured: current,
    inFile: former,
    says: 'set ENCRYPTION_KEY_OLD to the content',
  },
];

for (const engine of engines)
  for (const { name, configured, old, inFile, seals, says } of cases)
    test(`${name} ${seals ? 'opens' : 'is refused'}, on ${engine.name}`, async () => {
      const { db, drop } = await engine.open();
      await openSealingKeys(db, { dataDir: join(dataDir, 'before'), encryptionKey: former });
      await storeSealed(db, former);
      if (inFile) writeFileSync(file(), inFile);
      const config = { dataDir, encryptionKey: configured, encryptionKeyOld: old };
      const opened = await openSealingKeys(db, config).catch((error: Error) => error);
      if (seals)
        expect(opened).toMatchObject([{ id: idOf(seals) }, ...(seals === former ? [] : [{ id: idOf(former) }])]);
      else {
        expect(opened).toBeInstanceOf(StartFault);
        expect((opened as Error).message).toContain(says!);
        expect((opened as Error).message).toContain('svc rotate-encryption-key --lost');
        // Nothing was made that would be taken for the key from now on.
        expect(existsSync(file())).toBe(inFile !== undefined);
        expect(await openSealingKeys(db, { ...config, withoutLostKeys: true })).not.toEqual([]);
      }
      await drop();
    });

test.each(engines)('until a rotation has ended, both keys are needed, on $name', async (engine) => {
  const { db, drop } = await engine.open();
  const open = (encryptionKey: string, encryptionKeyOld?: string) =>
    openSealingKeys(db, { dataDir, encryptionKey, encryptionKeyOld });
  await open(former);
  await open(current, former);
  for (const key of [former, current]) await storeSealed(db, key);
  for (const alone of [former, current]) await expect(open(alone)).rejects.toThrow('another key');
  await sql`delete from channels where credential like ${`s1.${idOf(former)}.%`}`.execute(db);
  await keepOnlyKey(db, idOf(current));
  expect(await open(current)).toMatchObject([{ id: idOf(current) }]);
  await expect(open(former)).rejects.toThrow('another key');
  await drop();
});

test.each(engines)('the first start draws a key and keeps to it, on $name', async (engine) => {
  const { db, drop } = await engine.open();
  const [first] = await openSealingKeys(db, { dataDir });
  expect(first!.id).toBe(idOf(readFileSync(file(), 'utf8')));
  expect(await openSealingKeys(db, { dataDir })).toEqual([first!]);
  await drop();
});

test.each(engines)('a key that has sealed nothing is not needed, until it has, on $name', async (engine) => {
  const { db, drop } = await engine.open();
  const open = (encryptionKey: string) => openSealingKeys(db, { dataDir, encryptionKey });
  const started = await Promise.allSettled([former, current].map(open));
  expect(started.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await storeSealed(db, null);
  await open(current);
  await storeSealed(db, former);
  await expect(open(current)).rejects.toThrow('another key');
  expect(await open(former)).toMatchObject([{ id: idOf(former) }]);
  await drop();
});

test.each(engines)('an older database tells its key by the credentials of its channels, on $name', async (engine) => {
  const { db, drop } = await engine.open(migrations.filter(({ name }) => name < '0075'));
  for (const key of [former, former, current, null]) await storeSealed(db, key);
  await migrate(db);
  expect(await db.selectFrom('sealing_keys').select('id').execute()).toEqual([{ id: idOf(former) }]);
  await expect(openSealingKeys(db, { dataDir })).rejects.toThrow('is missing');
  await drop();
});
