import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { openDb } from '../server/src/platform/db/open.ts';
import { openLog } from '../server/src/platform/log.ts';
import { openPlatform } from '../server/src/platform/open.ts';
import { NoServer, ownPostgres } from './servers.ts';

const rules = `host all postgres 127.0.0.1/32 trust
host all barred,reader,poor 127.0.0.1/32 trust
hostnossl all encrypted 127.0.0.1/32 reject
host all known,busy 127.0.0.1/32 scram-sha-256
`;
const roles = [
  "create role known login password 'right'",
  "create role busy login password 'hunter2' connection limit 0",
  'create role encrypted login',
  'create role barred login',
  'create role poor login',
  'create role reader login',
  'alter role reader set default_transaction_read_only = on',
  'create database closed',
  'revoke connect on database closed from public',
  'revoke create on schema public from public',
];

/** Its logins are changed, so it has to be one of our own. */
const server = await ownPostgres().catch((error) => {
  if (error instanceof NoServer) return null;
  throw error;
});
const testOwn = test.skipIf(!server);
const folder = mkdtempSync(join(tmpdir(), 'svc-faults-'));

beforeAll(async () => {
  if (!server) return;
  const admin = new SQL(server.url, { max: 1 });
  for (const statement of roles) await admin.unsafe(statement);
  const [row] = await admin.unsafe("select setting as file from pg_settings where name = 'hba_file'");
  writeFileSync(row.file, rules);
  await admin.unsafe('select pg_reload_conf()');
  await admin.close();
}, 120_000);
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true });
});

const at = (login: string, path = 'postgres'): string => `postgres://${login}@${new URL(server!.url).host}/${path}`;

const cases: [what: string, url: () => string, says: RegExp][] = [
  ['a wrong password', () => at('known:hunter2'), /rejects the password of user "known": correct it in DATABASE_URL/],
  ['a missing database', () => at('postgres:hunter2', 'nowhere'), /has no database "nowhere": create it/],
  ['a database of others', () => at('barred:hunter2', 'closed'), /gives user "barred" too few rights/],
  ['too many connections', () => at('busy:hunter2'), /too many connections: .*DATABASE_POOL/],
  ['an unknown user', () => at('stranger:hunter2'), /pg_hba\.conf/],
  ['no TLS where it is required', () => at('encrypted:hunter2'), /add \?sslmode=require to DATABASE_URL/],
  ['TLS where there is none', () => at('postgres:hunter2', 'postgres?sslmode=require'), /does not speak TLS/],
  ['a name without an address', () => 'postgres://svc:hunter2@nowhere.invalid/svc', /without an address/],
];

testOwn.each(cases)('the start says what to do about %s, without the password', async (_, url, says) => {
  const failed = await openDb({ url: url(), poolSize: 1 }).catch((error: Error) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(String(failed)).toMatch(says);
  expect(String(failed)).toMatch(/^Error: PostgreSQL at [\w.]+:\d+ [^\n]+$/);
  expect(String(failed)).not.toContain('hunter2');
});

testOwn.each([
  ['a standby', 'reader', /is a read-only standby: .* primary/],
  ['a user who may create nothing', 'poor', /gives user "poor" too few rights: make it the owner/],
])('the start says what to do about %s', async (_, user, says) => {
  const config = { dataDir: folder, databaseUrl: at(`${user}:hunter2`), databasePool: 1, redisPrefix: 'svc:' };
  const failed = await openPlatform(config, openLog('silent')).catch((error: Error) => error);
  expect(String(failed)).toMatch(says);
  expect(String(failed)).not.toContain('hunter2');
});
