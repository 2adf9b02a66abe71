/** A key from its making to its end, and what was used and paid with it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';
import { until } from './service.ts';

let site: Site;
let user: Visitor;
let key: string;

const call = (path: string, body?: object): Promise<Response> =>
  fetch(`${site.service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });

describe.skipIf(browserMissing)('keys, usage and credits', () => {
  beforeAll(async () => {
    site = await openSite();
    user = await site.register('kim');
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect(user?.complaints).toEqual([]);
  });

  test('when no provider key can be added, the page says why and what to do', async () => {
    await site.service.root.api('/api/admin/options', { method: 'PUT', body: { key: 'OwnKeys', value: true } });
    await user.open('/own-keys');
    await user.page.getByText('Ask your administrator to connect the provider you have a key for.').waitFor();
    expect(await user.page.getByRole('button', { name: 'Add key' }).count()).toBe(0);
    expect(await accessibilityFaults(user.page)).toEqual([]);
    const root = await site.root();
    await root.open('/own-keys');
    await root.page.getByRole('link', { name: 'Open channels' }).click();
    await root.page.waitForURL('**/admin/channels');
    await root.page.close();
  }, 300_000);

  test('a key is created, shown once, and works', async () => {
    const { page } = user;
    await page.goto('/keys');
    await page.getByText('No keys yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('Give the key a name.').waitFor();
    await form.getByLabel('Name').fill('laptop');
    await form.getByRole('switch', { name: 'No spending limit' }).click();
    await form.getByLabel('Maximum spend').fill('2.5');
    await form.getByLabel('Models').fill('demo/ch');
    await page.getByRole('option', { name: /^demo\/chat (?!-)/ }).click();
    await form.getByLabel('Name').click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    key = await shown.getByLabel('API key', { exact: true }).inputValue();
    expect(key).toMatch(/^sk-\w{48}$/);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('$2.50').waitFor();
    expect(await page.content()).not.toContain(key);
    const models = (await (await call('/v1/models')).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['demo/chat']);
  }, 300_000);

  test('a key is copied without the clipboard API; if copying fails, the page says so', async () => {
    const { page, context, complaints } = await site.root({ viewport: { width: 1280, height: 800 } });
    // As on every page that comes by plain http.
    await context.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('copied');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('textbox', { name: 'API key' });
    const made = await shown.inputValue();
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    await page.evaluate(() => {
      document.execCommand = () => false;
    });
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByText('The browser did not allow copying').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.goto('/admin/users');
    await page.getByPlaceholder('Name or email').click();
    await page.keyboard.press('Control+V');
    expect(await page.getByPlaceholder('Name or email').inputValue()).toBe(made);
    expect(complaints).toEqual([]);
    await context.close();
  }, 300_000);

  test('many keys are paged, searched and sorted, and the URL keeps that state', async () => {
    const { page, context, open, settled } = await site.register('many');
    await context.request.post('/api/tokens', { data: { name: 'Alone', remain_quota: 500, unlimited_quota: false } });
    await open('/keys');
    expect(await page.getByRole('textbox', { name: 'Search: API keys' }).count()).toBe(0);
    for (let made = 0; made < 60; made += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          context.request.post('/api/tokens', { data: { name: `robot ${made + index}` } }),
        ),
      );
    await open('/keys');
    const names = () => page.getByRole('rowheader').locator('p:first-child').allInnerTexts();
    expect((await names()).length).toBe(50);
    // What most are looked for by comes first: the first name, the latest time.
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    expect((await names()).slice(0, 4)).toEqual(['Alone', 'robot 0', 'robot 1', 'robot 2']);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    expect((await names()).slice(0, 2)).toEqual(['robot 59', 'robot 58']);
    const head = page.getByRole('columnheader', { name: 'Name' });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'Page 2' }).click();
    await until('the rest is shown', async () => (await names()).length === 11);
    await page.reload();
    await settled();
    expect([(await names()).length, (await names()).at(-1)]).toEqual([11, 'Alone']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Search: API keys' }).fill('ALONE');
    await page.getByRole('status').getByText('1 of 61').waitFor();
    expect(await names()).toEqual(['Alone']);
    await page.getByRole('textbox', { name: 'Search: API keys' }).fill('nobody’s');
    await page.getByRole('button', { name: 'Show all' }).click();
    await until('all are there again', async () => (await names()).length === 50);
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/keys');
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'Name' }).click();
    await until('the first is first', async () => (await names())[0] === 'Alone');
    expect([await accessibilityFaults(page), await overflow(page)]).toEqual([[], 0]);
    await context.close();
  }, 300_000);

  test('requests appear in usage and can be downloaded', async () => {
    const answer = await call('/v1/chat/completions', {
      model: 'demo/chat',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get('x-request-id')!;
    const { page } = user;
    await page.goto('/usage');
    const row = page.getByRole('row').filter({ hasText: 'demo/chat' });
    // Usage is written off the request's path.
    const logs = async () => (await user.context.request.get('/api/usage/logs')).json();
    await until('it is in the log', async () => (await logs()).data.total > 0);
    await page.reload();
    await row.waitFor();
    expect(await row.innerText()).toContain('laptop');
    await page.getByRole('img', { name: /^Cost per day/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const csv = await Bun.file((await (await saved).path())!).text();
    expect(csv).toContain(requestId);
    await page.getByRole('combobox', { name: 'Key' }).click();
    await page.getByRole('option', { name: 'laptop' }).click();
    await page.waitForURL(/[?&]key=\d+/);
    await page.getByText('7d', { exact: true }).click();
    await page.waitForURL(/[?&]days=7/);
    await page.reload();
    await row.waitFor();
  }, 300_000);

  test('a key is disabled, edited and revoked', async () => {
    const { page } = user;
    await page.goto('/keys');
    const menu = page.getByRole('button', { name: 'Actions for laptop' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect((await call('/v1/models')).status).toBe(401);
    await menu.click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    expect((await call('/v1/models')).status).toBe(200);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit laptop' });
    await form.getByLabel('Name').fill('desk');
    await form.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'In 30 days' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for desk' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No keys yet').waitFor();
    expect((await call('/v1/models')).status).toBe(401);
  }, 300_000);

  test('the credits page shows the balance and how to get more', async () => {
    const { page } = user;
    await page.goto('/credits');
    await page.getByText('Ask an administrator of this service').waitFor();
    await page.getByText('No balance changes yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  }, 300_000);
});
