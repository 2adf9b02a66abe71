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
  ['an origin that is hidden', { origin: 'null' }, 403],
  ['a page of ours', { 'sec-fetch-site': 'same-origin' }, 200],
  ['the address bar', { 'sec-fetch-site': 'none' }, 200],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a neighbour', { 'sec-fetch-site': 'same-site' }, 403],
  ['another site, as JSON', { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }, 403],
  ['an empty form of another site', { origin: 'https://evil.example', 'content-type': 'text/plain' }, 403],
  ['a length', { 'content-length': '2' }, 415],
  ['pieces', { 'transfer-encoding': 'chunked' }, 415],
] as [string, Record<string, string>, number][])(
  'a write with a cookie and without a body, from %s',
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

test('cookies of our name that another host of the domain has set make nobody somebody else', async () => {
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
