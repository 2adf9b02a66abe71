/** Two accounts in one browser: a page that still shows one of them decides nothing for the other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { browserMissing, openSite, passwordOf, type Site, type Visitor } from './browser.ts';

/** Nobody is there: the browser is told what it would have answered. */
const redirectUri = 'http://127.0.0.1:8765/callback';

let site: Site;
let clientId: string;

const consentsOf = async ({ context }: Visitor): Promise<number> => {
  const answer = await context.request.get(`${site.service.url}/api/oauth2/consents`);
  return ((await answer.json()) as { data: { total: number } }).data.total;
};

/** A page that shows `work`, in a browser in which `home` has logged in since. */
async function confused(path: string, ready: (visitor: Visitor) => Promise<void>) {
  const visitor = await site.signIn('work', passwordOf('work'));
  const { page, context } = visitor;
  await page.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'arrived' }));
  await page.goto(path);
  await ready(visitor);
  const data = { username: 'home', password: passwordOf('home') };
  const entered = await context.request.post(`${site.service.url}/api/user/login`, { data });
  expect(entered.status()).toBe(200);
  return visitor;
}

describe.skipIf(browserMissing)('two accounts in one browser', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
    for (const name of ['work', 'home']) await (await site.register(name)).context.close();
    const body = { name: 'Notes', redirect_uris: [redirectUri], scopes: 'openid email' };
    const made = await site.service.root.api<{ client_id: string }>('/api/oauth2/applications', {
      ...{ method: 'POST', body },
    });
    clientId = made.client_id;
  }, 300_000);
  afterAll(() => site?.stop());

  test('an application gets the account that the page shows, or none', async () => {
    const request = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'openid' };
    const visitor = await confused(`/oauth2/authorize?${new URLSearchParams(request)}`, async ({ page }) => {
      await page.getByText('Signed in as work').waitFor();
    });
    const { page, context } = visitor;
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in as home').waitFor();
    expect([new URL(page.url()).pathname, await consentsOf(visitor)]).toEqual(['/oauth2/authorize', 0]);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}**`);
    expect(await consentsOf(visitor)).toBe(1);
    await context.close();
    const other = await site.signIn('work', passwordOf('work'));
    expect(await consentsOf(other)).toBe(0);
    await other.context.close();
  }, 300_000);

  test('a form says that another user has logged in, and keeps its input', async () => {
    const { page, context } = await confused('/keys', async ({ page }) => {
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Name').fill('of whom');
    });
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('Another user has logged in in this browser.').waitFor();
    const keys = await context.request.get(`${site.service.url}/api/tokens`);
    expect(await keys.text()).not.toContain('of whom');
    expect(await form.getByLabel('Name').inputValue()).toBe('of whom');
    await form.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await context.close();
  }, 300_000);

  test('the amount on the consent page is still there after the session ended and the same user logged in', async () => {
    const { root } = site.service;
    const key = 'OAuth2AllowedScopes';
    await root.api('/api/admin/options', { method: 'PUT', body: { key, value: 'openid email models:use' } });
    const body = { name: 'Spender', redirect_uris: [redirectUri], scopes: 'openid models:use' };
    const { client_id } = await root.api<{ client_id: string }>('/api/oauth2/applications', { method: 'POST', body });
    const visitor = await site.signIn('work', passwordOf('work'));
    const { page, context } = visitor;
    await page.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'arrived' }));
    const request = { response_type: 'code', client_id, redirect_uri: redirectUri, scope: 'openid models:use' };
    const address = `/oauth2/authorize?${new URLSearchParams(request)}`;
    const amount = page.getByLabel('Spending limit');
    const logIn = async (username: string) => {
      await context.clearCookies();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByLabel('Username').fill(username);
      await page.locator('input[type=password]').fill(passwordOf(username));
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.getByText(`Signed in as ${username}`).waitFor();
    };
    await page.goto(address);
    await amount.fill('12.5');
    await page.getByRole('combobox', { name: 'Reset period' }).click();
    await page.getByRole('option', { name: 'Each month' }).click();
    await logIn('work');
    expect([await amount.inputValue(), await page.getByText('$12.50 per month').count()]).toEqual(['$12.5', 1]);
    // It is the limit of whoever typed it.
    await logIn('home');
    expect(await amount.inputValue()).toBe('$5');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}**`);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await context.close();
  }, 300_000);
});
