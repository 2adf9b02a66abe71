import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type CallInit, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { cookieName } from './sessions.ts';

const clock = manualClock(Date.now());
const daySeconds = 86_400;
let t: TestApp;
beforeAll(async () => {
  t = await openTestApp({ clock, env: { OPENID_CONNECT: '1' } });
  await t.setOption('RateLimitEnabled', false);
});
afterAll(() => t.close());

const pass = (seconds: number) => clock.advance(seconds * 1000);
const password = 'a fine password';

/** Keeps a cookie only as long as its Max-Age allows, as browsers do. */
async function openBrowser() {
  const { username } = await t.user();
  let cookie: { pair: string; until: number } | null = null;
  const now = () => Math.floor(clock.nowMs() / 1000);
  const call = async (path: string, init: CallInit = {}): Promise<Response> => {
    const sent: Record<string, string> = cookie && cookie.until > now() ? { cookie: cookie.pair } : {};
    const answer = await t.call(path, { ...init, headers: { ...sent, ...init.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [, pair, seconds] = /^(svc_session=[^;]*); Max-Age=(\d+); Path=\/; HttpOnly; SameSite=Lax$/.exec(line)!;
      cookie = { pair: pair!, until: now() + Number(seconds) };
    }
    return answer;
  };
  await call('/api/user/login', { method: 'POST', body: { username, password } });
  const isIn = async () => (await call('/api/user/self')).status === 200;
  return { call, isIn, cookie: () => cookie?.pair };
}

const visits: [what: string, path: string, init: CallInit][] = [
  ['a page of the account', '/api/user/self', {}],
  ['a refused page', '/api/admin/options', {}],
  ['a page of sessions', '/api/svc-ms/sessions', { headers: { 'x-svc-web': '1' } }],
  ['a page of models', '/v1/models', { headers: { 'x-svc-web': '1' } }],
  [
    'an application asking silently',
    '/api/oauth2/authorize/silent',
    { method: 'POST', body: { client_id: 'svc_nobody', prompt: 'none' } },
  ],
];

test.each(visits)('a session lasts as long as its browser comes back within 30 days: %s', async (_, path, init) => {
  const browser = await openBrowser();
  for (let visit = 0; visit < 4; visit += 1) {
    pass(20 * daySeconds);
    await (await browser.call(path, init)).body?.cancel();
  }
  expect(browser.cookie()).toStartWith(`${cookieName}=`);
  expect(await browser.isIn()).toBe(true);
  pass(30 * daySeconds + 1);
  expect(await browser.isIn()).toBe(false);
});

test('the cookie is sent again only when the session was extended, and not to a browser that logs out', async () => {
  const browser = await openBrowser();
  const sent = async (path: string, init: CallInit = {}) => (await browser.call(path, init)).headers.getSetCookie();
  expect(await sent('/api/user/self')).toEqual([]);
  pass(600);
  const before = browser.cookie();
  expect(await sent('/api/user/self')).toHaveLength(1);
  expect(browser.cookie()).toBe(before);
  expect(await sent('/api/user/self')).toEqual([]);
  pass(600);
  expect(await sent('/api/user/logout', { method: 'POST' })).toEqual([
    `${cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
  ]);
});

test('a new password replaces the cookie, even if the old one was due', async () => {
  const browser = await openBrowser();
  pass(600);
  const before = browser.cookie();
  const body = { password: 'another fine password', current_password: password };
  expect((await browser.call('/api/user/self', { method: 'PUT', body })).status).toBe(200);
  expect(browser.cookie()).not.toBe(before);
  expect(await browser.isIn()).toBe(true);
});
