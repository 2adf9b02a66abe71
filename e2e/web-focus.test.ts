/** The pages before login and of single steps by keyboard: where the focus is after each step, and after a refusal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeAt } from '../server/src/identity/factors/factors.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, passwordOf, type Site } from './browser.ts';
import { until } from './service.ts';

const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
let site: Site;

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement instanceof HTMLInputElement ? activeElement.name : (activeElement?.tagName ?? '');
  });
const focusIs = async (page: Page, name: string): Promise<void> => {
  await until(`${name} has focus`, async () => (await focused(page)) === name, 10_000).catch(() => {});
  expect(await focused(page)).toBe(name);
};
/** What a screen reader adds when the field gets focus. */
const faultOf = (page: Page, field: string): Promise<[string | null, string]> =>
  page.locator(`[name=${field}]`).evaluate((input) => {
    const [id] = (input.getAttribute('aria-describedby') ?? '').split(' ');
    return [input.getAttribute('aria-invalid'), document.getElementById(id!)?.textContent ?? ''];
  });
const type = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [name, text] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(text);
  await page.keyboard.press('Enter');
};
const looks = async (page: Page): Promise<void> =>
  expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
const succeed = async (page: Page, path: string, data: object): Promise<void> => {
  await page.route(`**${path}`, (route) => route.fulfill({ json: { success: true, data } }));
};

describe.skipIf(browserMissing)('focus on pages of single steps', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
  }, 300_000);
  afterAll(() => site?.stop());

  test('fields that a page focuses keep the focus when it is opened by a link or follows a step', async () => {
    const { context } = await site.register('ada');
    const confirmed = { data: { password: passwordOf('ada') } };
    const begun = await context.request.post('/api/user/totp', confirmed);
    expect(begun.status()).toBe(200);
    const { secret } = ((await begun.json()) as { data: { secret: string } }).data;
    const enabled = await context.request.post('/api/user/totp/confirm', {
      data: { code: codeAt(secret, Date.now()) },
    });
    expect(enabled.status()).toBe(200);
    const { page, open } = await site.visit(phone);
    await open('/register');
    await focusIs(page, 'username');
    await page.getByRole('link', { name: 'Log in' }).press('Enter');
    await page.waitForURL(/login/);
    await focusIs(page, 'username');
    await type(page, { username: 'ada', password: passwordOf('ada') });
    await focusIs(page, 'code');
    await type(page, { code: 'wrong' });
    await page.getByRole('alert').waitFor();
    await focusIs(page, 'code');
    await looks(page);
  }, 300_000);

  test('the heading gets the focus if the step before had it', async () => {
    const { page, open } = await site.visit(phone);
    await succeed(page, '/api/user/password/forgot', { message: 'Sent.' });
    await open('/forgot-password');
    await type(page, { email: 'ada@example.com' });
    await page.getByText('valid for 30 minutes').waitFor();
    await focusIs(page, 'H1');
    await looks(page);

    await succeed(page, '/api/user/password/reset', {});
    await open('/reset-password#secret');
    await type(page, { password: 'a long password', repeated: 'a long password' });
    await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor();
    await focusIs(page, 'H1');

    const known = await site.register('bea', phone);
    await succeed(known.page, '/api/user/email/verify', {});
    await known.open('/verify-email#secret');
    await known.page.getByRole('button', { name: 'Confirm my address' }).press('Enter');
    await known.page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
    await focusIs(known.page, 'H1');
  }, 300_000);

  test('the first refused field gets the focus and is marked, with its fault', async () => {
    const { page, open } = await site.visit(phone);
    await open('/register');
    await type(page, { username: 'a!', password: 'short' });
    await focusIs(page, 'username');
    expect(await faultOf(page, 'username')).toEqual(['true', expect.stringContaining('3 to 32 letters')]);
    expect(await faultOf(page, 'password')).toEqual(['true', expect.stringContaining('at least 8 characters')]);
    await looks(page);

    await open('/reset-password#secret');
    await type(page, { password: 'a long password', repeated: 'another' });
    await focusIs(page, 'password');
    expect(await faultOf(page, 'password')).toEqual(['true', 'The passwords do not match.']);

    const known = await site.register('cleo', phone);
    await known.open('/device');
    await type(known.page, { user_code: 'BCDFGHJK' });
    await known.page.getByRole('alert').waitFor();
    await focusIs(known.page, 'user_code');
    expect((await faultOf(known.page, 'user_code'))[0]).toBe('true');
    await looks(known.page);
  }, 300_000);

  test('a code of a device is still there after the login that its check asked for', async () => {
    const { page, open, context } = await site.register('dora', phone);
    await open('/device');
    await context.clearCookies();
    await type(page, { user_code: 'BCDFGHJK' });
    await page.waitForURL(/login/);
    await type(page, { username: 'dora', password: passwordOf('dora') });
    await page.waitForURL(/device/);
    expect(await page.locator('[name=user_code]').inputValue()).toBe('BCDF-GHJK');
  }, 300_000);

  test('Back after a login leads to the page before the one that asked for it', async () => {
    await (await site.register('returning')).context.close();
    const { page, open, settled } = await site.visit();
    await open('/docs');
    await page.goto('/keys?q=mine');
    await page.waitForURL('**/login?**');
    await type(page, { username: 'returning', password: passwordOf('returning') });
    await page.waitForURL('**/keys?q=mine');
    await settled();
    await page.goBack();
    await page.waitForURL('**/docs');
    await page.goForward();
    await page.waitForURL('**/keys?q=mine');
  }, 300_000);

  test('a password can be shown by keyboard', async () => {
    const { page, open } = await site.visit(phone);
    await open('/login');
    const password = page.locator('[name=password]');
    await password.fill('secret');
    await password.press('Tab');
    await page.keyboard.press('Space');
    expect(await password.getAttribute('type')).toBe('text');
    await looks(page);
  }, 300_000);

  test('the link for a new password works in another language and after a reload', async () => {
    const { page, open } = await site.visit(phone);
    await open('/reset-password#secret');
    await page.getByRole('button', { name: '简体中文' }).press('Enter');
    await page.locator('html[lang=zh-CN]').waitFor();
    await page.locator('[name=repeated]').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await page.locator('[name=repeated]').waitFor();
    let sent = '';
    await page.route('**/api/user/password/reset', (route) => {
      sent = route.request().postData() ?? '';
      return route.fulfill({ json: { success: true, data: {} } });
    });
    await type(page, { password: 'a long password', repeated: 'a long password' });
    await until('it was sent', () => sent !== '');
    expect(JSON.parse(sent)).toEqual({ token: 'secret', password: 'a long password' });
    await page.locator('[name=repeated]').waitFor({ state: 'detached' });
    // Used links are forgotten.
    await open('/reset-password');
    expect(await page.locator('[name=repeated]').count()).toBe(0);
  }, 300_000);
});
