/** Lost networks and hasty fingers: a page says what it cannot show, and what is clicked twice happens once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { browserMissing, openSite, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

describe.skipIf(browserMissing)('network', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('a page that is opened offline says so, and fills itself when the network is back', async () => {
    const { page, context, open } = await site.register('oli');
    await open('/');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Credits', exact: true }).click();
    const fault = page.getByText('Ledger could not be loaded');
    await fault.waitFor();
    await page.getByText('The server could not be reached').first().waitFor();
    await context.setOffline(false);
    await fault.waitFor({ state: 'detached' });
  }, 300_000);

  test('an act on a row happens once, however often it is clicked, and does not hold up another row', async () => {
    for (const name of ['una', 'una-two']) await site.register(name);
    const { page } = await site.root();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/links')) asked.push(request.url());
    });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/links', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/admin/users?q=una');
    for (const name of ['una', 'una', 'una-two']) {
      await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: 'Password link' }).click();
    }
    await until('both are asked for', () => new Set(asked).size === 2);
    expect(asked).toHaveLength(2);
    goOn();
    await page.getByRole('dialog', { name: 'A link for the user' }).waitFor();
  }, 300_000);
});
