/** Applications that require a login, at once or because the last one became too old meanwhile, and that log out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, passwordOf, type Site, type Visitor } from './browser.ts';

let site: Site;
let user: Visitor;
let clientId: string;
const arrivals = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0 },
  fetch: () => new Response('<!doctype html><title>Arrived</title>', { headers: { 'content-type': 'text/html' } }),
});
const arrived = `http://127.0.0.1:${arrivals.port}/callback`;

const requestOf = (more: Record<string, string>): string =>
  `/oauth2/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: arrived, scope: 'openid', state: 'a b+c' },
    ...more,
  })}`;

async function logIn(page: Page): Promise<void> {
  await page.waitForURL(/\/login\?/);
  await page.getByRole('textbox', { name: 'Username' }).fill('reader');
  await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('reader'));
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

async function allow(page: Page): Promise<URLSearchParams> {
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL((url) => url.href.startsWith(arrived));
  return new URL(page.url()).searchParams;
}

describe.skipIf(browserMissing)('logins and logouts that applications require', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
    const owner = await site.register('owner');
    const body = { name: 'Strict', redirect_uris: [arrived], scopes: 'openid', post_logout_redirect_uris: [arrived] };
    const made = await owner.context.request.post('/api/oauth2/applications', { data: body });
    clientId = ((await made.json()) as { data: { client_id: string } }).data.client_id;
    user = await site.register('reader');
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    await arrivals.stop(true);
  });

  test('with prompt=login the user logs in again, and is then asked', async () => {
    const { page } = user;
    await page.goto(requestOf({ prompt: 'login' }));
    await logIn(page);
    const answer = await allow(page);
    expect([answer.get('state'), answer.get('code')]).toEqual(['a b+c', expect.any(String)]);
  }, 120_000);

  test('with max_age a login that is too old for the answer is asked for once more, not only refused', async () => {
    const { page } = user;
    await user.open(requestOf({ max_age: '3600' }));
    // As an hour later: the answer is refused, and the request, read again, needs a login.
    const tooOld = {
      success: false,
      error: 'login_required',
      message: 'The application requires you to log in again.',
    };
    const later = ['refuse', 'require'];
    await page.route('**/api/oauth2/authorize*', async (route) => {
      const isAnswer = route.request().method() === 'POST';
      if (later[0] !== (isAnswer ? 'refuse' : 'require')) return route.continue();
      later.shift();
      if (isAnswer) return route.fulfill({ status: 401, json: tooOld });
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { success: true, data: { ...data, interaction: 'login' } } });
    });
    await page.getByRole('button', { name: 'Allow' }).click();
    await logIn(page);
    expect((await allow(page)).get('code')).toBeTruthy();
    expect([later, user.complaints]).toEqual([[], []]);
  }, 120_000);

  test('a logout is confirmed, and leads on if its user has logged out elsewhere meanwhile', async () => {
    const request = { client_id: clientId, post_logout_redirect_uri: arrived, state: 'bye' };
    for (const [name, isElsewhere] of [
      ['first', false],
      ['second', true],
    ] as const) {
      const { page, context } = await site.register(name);
      await page.goto(`/api/oauth2/end_session?${new URLSearchParams(request)}`);
      const confirm = page.getByRole('button', { name: 'Log out' });
      await confirm.waitFor();
      if (isElsewhere) await context.request.post('/api/user/logout', { data: {} });
      await confirm.click();
      await page.waitForURL(`${arrived}?state=bye`);
      expect((await context.request.get('/api/user/self')).status()).toBe(401);
    }
  }, 120_000);
});
