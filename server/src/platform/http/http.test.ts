import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { clientIp, inBlocks, limitKeyOfIp, parseBlock } from './client-ip.ts';
import { toAppError } from './to-app-error.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const login = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call('/api/user/login', { method: 'POST', body, headers });

describe('invalid input gets 4xx in the shape of its endpoint', () => {
  test.each([
    ['not JSON', '{"username":'],
    ['empty', ''],
    ['an array', '[]'],
    ['wrong types', '{"username":{},"password":[]}'],
    ['NUL in a name', '{"username":"a\\u0000b","password":"long enough"}'],
    ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['a huge number', '{"username":1e999,"password":"x"}'],
  ])('%s', async (_, text) => {
    const response = await login(text);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ success: false, message: expect.any(String) });
  });

  test('invalid UTF-8', async () => {
    const response = await login(new Uint8Array([0x22, 0xff, 0xfe, 0x22]));
    expect(response.status).toBe(400);
  });

  test('oversize, also when compressed', async () => {
    expect((await login(`"${'x'.repeat(2 * 1024 * 1024)}"`)).status).toBe(413);
    const bomb = Bun.gzipSync(Buffer.from(`"${'x'.repeat(2 * 1024 * 1024)}"`));
    expect((await login(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
  });

  test('a compressed body is read; an unknown or broken encoding is rejected', async () => {
    const text = Buffer.from('{"username":"nobody","password":"wrong wrong"}');
    expect((await login(Bun.gzipSync(text), { 'content-encoding': 'gzip' })).status).toBe(401);
    for (const unchanged of ['identity', ' Identity ', ''])
      expect((await login(text, { 'content-encoding': unchanged })).status).toBe(401);
    expect((await login(text, { 'content-encoding': 'rot13' })).status).toBe(415);
    expect((await login(text, { 'content-encoding': 'gzip' })).status).toBe(400);
  });

  test('unknown addresses respond in the shape of their neighbours', async () => {
    const shape = async (path: string, method = 'GET') => (await service.call(path, { method })).json();
    expect(await shape('/api/nothing')).toMatchObject({ success: false });
    expect(await shape('/v1/nothing')).toMatchObject({ error: { code: 'not_found', type: 'invalid_request_error' } });
    expect(await shape('/v1/messages/nothing')).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    expect(await shape('/v1/videos/x/y/z')).toMatchObject({ error: { code: 404 } });
    expect(await shape('/api/oauth2/nothing')).toMatchObject({ error: 'not_found' });
    const wrongMethod = await service.call('/api/user/login');
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')).toBe('POST');
  });
});

describe('every response', () => {
  test('has an id and the security headers', async () => {
    const response = await service.call('/api/user/self');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('has the rate limit headers, and is 429 past the limit', async () => {
    // Whoever has not called before begins a minute of their own.
    const member = await service.user();
    await service.setOption('RateLimitApi', 3);
    const answers: Response[] = [];
    for (let i = 0; i < 5; i += 1) answers.push(await member.call('/api/user/self'));
    await service.setOption('RateLimitApi', 120);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    const remaining = answers.map(({ headers }) => headers.get('ratelimit-remaining'));
    expect(remaining).toEqual(['2', '1', '0', '0', '0']);
    const last = answers.at(-1)!;
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(last.headers.get('ratelimit-limit')).toBe('3');
    expect(await last.json()).toMatchObject({ success: false });
  });
});

describe('database errors', () => {
  test.each([
    ['no connection', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }, 503],
    ['PostgreSQL shutting down', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '57P01' }, 503],
    ['PostgreSQL starting up', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '57P03' }, 503],
    ['PostgreSQL out of connections', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '53300' }, 503],
    ['a full disk', { code: 'SQLITE_FULL', errno: 13 }, 503],
    ['a fault of ours', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '42601' }, 500],
  ])('%s', (_, fields, status) => {
    expect(toAppError(Object.assign(new Error('x'), fields)).status).toBe(status);
  });
});

test('health, readiness, metrics and the OpenAPI document respond', async () => {
  expect((await service.call('/healthz')).status).toBe(200);
  expect(await (await service.call('/readyz')).json()).toMatchObject({ status: 'ready', failing: [] });
  expect(await (await service.call('/metrics')).text()).toContain('svc_http_request_seconds_bucket');
  const document = (await (await service.call('/openapi.json')).json()) as { openapi: string; paths: object };
  expect(document.openapi).toBe('3.1.0');
  const packed = await service.call('/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes())))).toEqual(document);
  expect(Object.keys(document.paths)).toContain('/api/user/login');
});

test('a database that responds but cannot be written is not ready', async () => {
  const { database, owners } = service.platform;
  const readiness = async () => {
    const answer = await service.call('/readyz');
    return [answer.status, await answer.json()];
  };
  // On either engine the same as a full disk: reads go on, the beat of the process cannot be written.
  await sql`alter table owners rename to elsewhere`.execute(database.db);
  await owners.look();
  expect(await readiness()).toMatchObject([503, { parts: { database: 'unwritable' }, failing: ['database'] }]);
  await sql`alter table elsewhere rename to owners`.execute(database.db);
  await owners.look();
  expect(await readiness()).toMatchObject([200, { status: 'ready' }]);
});

describe('IP addresses', () => {
  test('blocks contain the right addresses', () => {
    const blocks = ['10.0.0.0/8', '192.168.1.7', '2001:db8::/32'].map((text) => parseBlock(text)!);
    expect(['10.255.0.1', '192.168.1.7', '::ffff:10.1.2.3', '2001:db8:1::5'].every((ip) => inBlocks(ip, blocks))).toBe(
      true,
    );
    expect(['11.0.0.1', '192.168.1.8', '2001:db9::1', 'nonsense'].some((ip) => inBlocks(ip, blocks))).toBe(false);
    expect(['1.2.3.4/33', '1.2.3', 'x/8', '::1/129', '1.2.3.4/8/9'].map(parseBlock)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test('a forwarded address counts only behind a trusted proxy', () => {
    const trusted = [parseBlock('10.0.0.0/8')!];
    expect(clientIp('1.1.1.1', '9.9.9.9', trusted)).toBe('1.1.1.1');
    expect(clientIp('10.0.0.1', '9.9.9.9', trusted)).toBe('9.9.9.9');
    expect(clientIp('10.0.0.1', '6.6.6.6, 9.9.9.9, 10.0.0.2', trusted)).toBe('9.9.9.9');
    expect(clientIp('10.0.0.1', '9.9.9.9', [])).toBe('10.0.0.1');
  });

  test('IPv6 callers are counted by their /64', () => {
    expect(limitKeyOfIp('2001:db8:1:2:3:4:5:6')).toBe(limitKeyOfIp('2001:db8:1:2:ffff::1'));
    expect(limitKeyOfIp('2001:db8:1:3::1')).not.toBe(limitKeyOfIp('2001:db8:1:2::1'));
    expect(limitKeyOfIp('1.2.3.4')).toBe('1.2.3.4');
  });
});
