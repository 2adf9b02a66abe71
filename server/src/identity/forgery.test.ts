import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../app.fixture.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
  await service.setOption('RateLimitEnabled', false);
});
afterAll(() => service.close());

// As they come over a wire, where an empty body and none are told by headers.
test.each([
  ['neither header', {}, 200],
  ['no length', { 'content-length': '0' }, 200],
  ['our origin', { origin: 'ours' }, 200],
  ['another origin', { origin: 'https://evil.example' }, 403],
  ['an opaque origin', { origin: 'null' }, 403],
  ['a page of the service', { 'sec-fetch-site': 'same-origin' }, 200],
  ['the address bar', { 'sec-fetch-site': 'none' }, 200],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 403],
  ['another site, as JSON', { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }, 403],
  ['an empty form of another site', { origin: 'https://evil.example', 'content-type': 'text/plain' }, 403],
  ['a client that declares a length', { 'content-length': '2' }, 415],
  ['a client that sends chunks', { 'transfer-encoding': 'chunked' }, 415],
] as [string, Record<string, string>, number][])(
  'a write with a cookie and no body, from %s',
  async (_, given, status) => {
    const { cookie } = await service.user();
    const headers: Record<string, string> = { cookie, ...given };
    if (headers.origin === 'ours') headers.origin = service.config.baseUrl;
    for (const [method, path] of [
      ['DELETE', '/api/user/sessions'],
      ['POST', '/api/user/logout'],
    ]) {
      const request = new Request(`${service.config.baseUrl}${path}`, { method: method!, headers });
      expect((await service.app.fetch(request)).status).toBe(status);
    }
  },
);

test('a page opened under another host name is told the right address', async () => {
  const sent = { method: 'POST', body: { username: 'root', password: 'a guess' } };
  const refused = async (origin: string, host: string) => {
    const answer = await service.call('/api/user/login', { ...sent, headers: { origin, host } });
    expect(answer.status).toBe(403);
    return ((await answer.json()) as { message: string }).message;
  };
  const { baseUrl } = service.config;
  expect(await refused('https://gate.example', 'gate.example')).toContain(
    `opened at https://gate.example, but the service is configured for ${baseUrl}. Open it there`,
  );
  expect(await refused('https://evil.example', 'gate.example')).toBe('This request comes from another site.');
});

test.each([
  ['another site', 'cross-site', 403],
  ['another host of the same site', 'same-site', 403],
  ['a page of the service', 'same-origin', 200],
] as const)('a write with a cookie and a body but no origin, from %s', async (_, site, status) => {
  const { cookie } = await service.user();
  const headers = { cookie, 'sec-fetch-site': site };
  const sent = { method: 'PUT', headers, body: { display_name: 'Somebody' } };
  expect((await service.call('/api/user/self', sent)).status).toBe(status);
});

test('logging in again ends the previous session of the browser, whoever it belonged to', async () => {
  const [first, second] = [await service.user(), await service.user()];
  const enter = (username: string, cookie: string, password = 'a fine password') =>
    service.call('/api/user/login', { method: 'POST', body: { username, password }, headers: { cookie } });
  const isIn = async (cookie: string) => (await service.call('/api/user/self', { headers: { cookie } })).status === 200;
  expect((await enter(second.username, first.cookie, 'wrong')).status).toBe(401);
  expect(await isIn(first.cookie)).toBe(true);
  const again = (await enter(first.username, first.cookie)).headers.get('set-cookie')!.split(';')[0]!;
  expect([await isIn(first.cookie), await isIn(again)]).toEqual([false, true]);
  expect((await enter(second.username, again)).status).toBe(200);
  expect([await isIn(again), await isIn(second.cookie)]).toEqual([false, true]);
});

test('session cookies set by another host of the domain do not change who is logged in', async () => {
  const [owner, stranger] = [await service.user(), await service.user()];
  const again = await service.call('/api/user/login', {
    method: 'POST',
    body: { username: owner.username, password: 'a fine password' },
  });
  const second = again.headers.get('set-cookie')!.split(';')[0]!;
  const nobody = 'svc_session=made-up';
  const idOf = async (...cookies: string[]) => {
    const answer = await service.call('/api/user/self', { headers: { cookie: cookies.join('; ') } });
    return answer.status === 200 ? ((await answer.json()) as { data: { id: number } }).data.id : null;
  };
  for (const cookies of [
    [nobody, owner.cookie],
    [owner.cookie, nobody],
    ['svc_session=', owner.cookie],
    [owner.cookie, owner.cookie],
    [owner.cookie, second],
  ])
    expect(await idOf(...cookies)).toBe(owner.id);
  for (const cookies of [
    [stranger.cookie, owner.cookie],
    [owner.cookie, stranger.cookie],
    [owner.cookie, nobody, stranger.cookie],
  ])
    expect(await idOf(...cookies)).toBeNull();
  await stranger.call('/api/user/logout', { method: 'POST' });
  expect(await idOf(stranger.cookie, owner.cookie)).toBe(owner.id);
});

test('a write from a page that shows another user is rejected, and changes nothing', async () => {
  const [shown, now] = [await service.user(), await service.user()];
  const rename = (user: number | string) =>
    service.call('/api/user/self', {
      method: 'PUT',
      headers: { cookie: now.cookie, 'x-svc-user': `${user}` },
      body: { display_name: `For ${user}` },
    });
  for (const other of [shown.id, 'somebody', '']) {
    const refused = await rename(other);
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      401,
      expect.stringContaining('Another user has logged in'),
    ]);
  }
  const { data } = (await (await rename(now.id)).json()) as { data: { display_name: string } };
  expect(data.display_name).toBe(`For ${now.id}`);
});
