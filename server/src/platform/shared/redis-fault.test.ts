import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { openShared } from './open.ts';
import { findRedisFault } from './redis-fault.ts';
import { type RedisServer, startRedis } from './redis-server.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-redis-'));
const servers: Record<'locked' | 'plain' | 'secure' | 'replica' | 'mute' | 'full', RedisServer> = Object.create(null);

beforeAll(async () => {
  const cert = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  writeFileSync(cert, localhostTls.cert);
  writeFileSync(key, localhostTls.key);
  servers.plain = await startRedis();
  servers.locked = await startRedis(() => ['--requirepass', 'p@ss:1']);
  servers.secure = await startTls(cert, key);
  servers.replica = await startRedis(() => [
    '--replicaof',
    '127.0.0.1',
    new URL(servers.plain.url).port,
    '--dir',
    folder,
  ]);
  servers.mute = await startRedis(() => ['--user', 'ann', 'on', '>hunter2', '~*', '+@all', 'resetchannels']);
  servers.full = await startRedis(() => ['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop();
  rmSync(folder, { recursive: true });
});

const startTls = (cert: string, key: string): Promise<RedisServer> => {
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  return startRedis((port) => ['--port', '0', '--tls-port', port, ...files, '--tls-auth-clients', 'no']);
};

const at = (name: keyof typeof servers, login = '', path = ''): string =>
  `${servers[name].url.replace('//', `//${login}`)}${path}`;
const secured = (url: string): string => url.replace('redis:', 'rediss:');

const cases: [what: string, url: () => string, says: RegExp][] = [
  ['a wrong password', () => at('locked', ':hunter2@'), /rejects the user name or password: .*REDIS_URL/],
  ['an unknown user', () => at('locked', 'bob:hunter2@'), /rejects the user name or password/],
  ['no password', () => at('locked'), /requires a password/],
  ['no TLS where it is required', () => at('secure', ':hunter2@'), /requires TLS: begin REDIS_URL with rediss:/],
  ['TLS where there is none', () => secured(at('plain', ':hunter2@')), /does not speak TLS: begin .* redis:/],
  ['TLS without trust', () => secured(at('secure', ':hunter2@')), /not trusted .*NODE_EXTRA_CA_CERTS/],
  ['a database that is not there', () => at('plain', '', '/99'), /has no database 99/],
  ['a replica', () => at('replica'), /read-only replica: .* primary/],
  ['a user without channels', () => at('mute', 'ann:hunter2@'), /refuses this user .*REDIS_PREFIX/],
  ['a full server', () => at('full'), /no memory left: .*maxmemory/],
  ['a name without an address', () => 'redis://:hunter2@nowhere.invalid', /without an address/],
];

test.each(cases)('the start says what to do about %s, without the password', async (_, url, says) => {
  expect(await findRedisFault(url(), 'svc:')).toMatch(says);
});

test('a start with a wrong password fails with that sentence', async () => {
  const failed = await openShared({ redisUrl: at('locked', ':hunter2@') }, manualClock()).catch((error) => error);
  expect(failed.message).toMatch(/^The server at 127\.0\.0\.1:\d+ rejects the user name or password: [^\n]+$/);
  expect(failed.message).not.toContain('hunter2');
});

test('a right password starts, with characters that addresses encode', async () => {
  const shared = await openShared({ redisUrl: at('locked', ':p%40ss%3A1@') }, manualClock());
  expect(shared.fault()).toBeNull();
  await shared.close();
});

test('a Redis that becomes a replica while in use is told once, replaced by local counts, and told when it is back', async () => {
  const lines: string[] = [];
  const tell = (fields: unknown, words?: string) =>
    void lines.push(`${typeof fields === 'string' ? fields : JSON.stringify(fields)} ${words ?? ''}`);
  const server = await startRedis(() => ['--dir', folder]);
  const shared = await openShared({ redisUrl: server.url }, manualClock(), { warn: tell, info: tell });
  const admin = new RedisClient(server.url);
  await admin.send('REPLICAOF', ['127.0.0.1', new URL(servers.plain.url).port]);
  expect((await shared.hit('k', 5, 60_000)).remaining).toBe(4);
  expect((await shared.hit('k', 5, 60_000)).remaining).toBe(3);
  expect(shared.healthy()).toBe(false);
  await until('it is told', () => lines.length > 0);
  expect(shared.fault()).toContain('read-only replica');
  await admin.send('REPLICAOF', ['NO', 'ONE']);
  await until('it is used again', () => shared.healthy());
  expect(lines).toEqual([
    expect.stringContaining('"fault":"is a read-only replica'),
    expect.stringContaining('Redis can be used again'),
  ]);
  admin.close();
  await shared.close();
  await server.stop();
});
