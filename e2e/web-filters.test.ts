/** Filters of every list: what is typed stays as it is typed, is applied once, and survives reload and Back. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

interface Filter {
  path: string;
  /** Its label. */
  field: string;
  /** Its name in the URL. */
  name: string;
  /** What it asks of the service; none where all rows are loaded. */
  api?: string;
}

const filters: Filter[] = [
  { path: '/requests', field: 'Model', name: 'model', api: '/api/admin/requests' },
  { path: '/admin/audit', field: 'Who', name: 'actor', api: '/api/admin/audit' },
  { path: '/admin/audit', field: 'Target', name: 'target', api: '/api/admin/audit' },
  { path: '/admin/users', field: 'Search users', name: 'q', api: '/api/admin/users' },
  { path: '/admin/models', field: 'Model', name: 'model', api: '/api/admin/provider-models' },
  { path: '/admin/applications', field: 'Search applications', name: 'q', api: '/api/oauth2/admin/applications' },
  { path: '/routing/decisions', field: 'Request id', name: 'request', api: '/api/routing/decisions' },
  { path: '/routing/decisions', field: 'Model', name: 'model', api: '/api/routing/decisions' },
  { path: '/sessions', field: 'Tag', name: 'tag', api: '/api/svc-ms/sessions' },
  { path: '/knowledge', field: 'Search knowledge', name: 'q', api: '/api/svc-ms/knowledge' },
  { path: '/models', field: 'Search models', name: 'q' },
  { path: '/admin/options', field: 'Option name or keyword', name: 'q' },
  { path: '/docs', field: 'Search endpoints', name: 'q' },
  // Short lists have no search but one that is in the URL.
  { path: '/keys?q=none', field: 'Search: API keys', name: 'q' },
  { path: '/tools?q=none', field: 'Server or tool', name: 'q' },
];

const inUrl = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);
const applied = (page: Page, name: string, value: string | null) =>
  until(`${name} is ${value}`, async () => inUrl(page, name) === value);
const pause = (page: Page, ms: number) => page.evaluate((ms) => new Promise((end) => setTimeout(end, ms)), ms);
const caret = (page: Page) => page.evaluate(() => (document.activeElement as HTMLInputElement).selectionStart);

describe.skipIf(browserMissing)('filters', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('text filters of all lists', async () => {
    const { page, context, complaints, open, go, settled } = await site.root();
    const keyboard = await context.newCDPSession(page);
    for (const { path, field: label, name, api } of filters) {
      const where = `${path} ${label}`;
      await open(path);
      const field = page.getByLabel(label, { exact: true }).and(page.locator('input'));
      const asked: (string | null)[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        const value = [name, `${name}_id`, 'q'].map((one) => url.searchParams.get(one)).find((one) => one !== null);
        if (url.pathname === api && value) asked.push(value);
      });
      const steps = await page.evaluate(() => history.length);
      await field.fill('');
      await applied(page, name, null);
      await field.pressSequentially('green ', { delay: 20 });
      await applied(page, name, 'green');
      await settled();
      if (api) expect([where, asked]).toEqual([where, ['green']]);

      // After the pause there still is the space; then a letter in the middle.
      await field.pressSequentially('tea');
      await applied(page, name, 'green tea');
      await page.keyboard.press('Home');
      await page.keyboard.type('a');
      await applied(page, name, 'agreen tea');
      await settled();
      expect([where, await caret(page)]).toEqual([where, 1]);
      await page.keyboard.type('b');
      await page.keyboard.press('Enter');
      await applied(page, name, 'abgreen tea');

      expect([where, await page.evaluate(() => history.length)]).toEqual([where, steps]);
      await page.reload();
      await until('the text is there again', async () => (await field.inputValue()) === 'abgreen tea');
      await go('/account');
      await page.goBack();
      await until('the text is there again', async () => (await field.inputValue()) === 'abgreen tea');
      await settled();

      await field.press('Escape');
      expect([where, await field.inputValue()]).toEqual([where, '']);
      await applied(page, name, null);

      // An input method: the letters are no text before the character is chosen.
      asked.length = 0;
      await field.focus();
      for (const text of ['n', 'ni', "ni'h", "ni'hao"]) {
        await keyboard.send('Input.imeSetComposition', {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
        await pause(page, 120);
      }
      expect([where, await field.inputValue(), inUrl(page, name)]).toEqual([where, "ni'hao", null]);
      await keyboard.send('Input.insertText', { text: '你好' });
      await applied(page, name, '你好');
      await settled();
      if (api) expect([where, asked]).toEqual([where, ['你好']]);
      page.removeAllListeners('request');
    }
    expect(complaints).toEqual([]);
  }, 600_000);

  test('an item leads back to the list as it was left', async () => {
    const { page, open, settled } = await site.root();
    await open('/admin/users?q=roo');
    await page.getByRole('link', { name: 'root' }).first().click();
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByRole('textbox', { name: 'Search users' }).waitFor();
    expect(inUrl(page, 'q')).toBe('roo');
    // The navigation leads to all of them.
    await settled();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await applied(page, 'q', null);
  }, 300_000);

  test('days can be typed, and are applied when they are whole', async () => {
    const { page, complaints, open, settled } = await site.root();
    const dates = [
      { path: '/requests', from: 'First day', to: 'Last day' },
      { path: '/admin/audit', from: 'From', to: 'To' },
      { path: '/usage?from=2026-01-01&to=2026-02-01', from: 'First day', to: 'Last day' },
      { path: '/admin?from=2026-01-01&to=2026-02-01', from: 'First day', to: 'Last day' },
    ];
    for (const { path, from, to } of dates) {
      await open(path);
      for (const [label, name, typed, day] of [
        [to, 'to', '11122026', '2026-11-12'],
        [from, 'from', '11022026', '2026-11-02'],
      ] as const) {
        const field = page.getByLabel(label, { exact: true });
        await field.focus();
        await page.keyboard.type(typed, { delay: 60 });
        await applied(page, name, day);
        expect([path, await field.inputValue()]).toEqual([path, day]);
      }
      await settled();
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test('what cannot be in an address is told and ignored', async () => {
    const { page, complaints, open, settled } = await site.root();
    const addresses = [
      ['/requests?status=odd&model=demo', 'status=odd'],
      ['/requests?from=0001-01-01', 'from=0001-01-01'],
      ['/requests?cursor=%00', 'cursor='],
      ['/admin/users?page=odd&q=root', 'page=odd'],
      [`/admin/users?q=${'x'.repeat(3_000)}`, 'q=xxx'],
      [`/admin/applications?q=${'x'.repeat(201)}&status=9`, 'q=xxx'],
      [`/admin/audit?actor=${'x'.repeat(201)}&user=odd&page=2`, 'actor=xxx'],
      ['/admin/models?channel=odd&type=odd', 'channel=odd, type=odd'],
      ['/admin?by=odd', 'by=odd'],
      [`/usage?model=${'x'.repeat(257)}&days=odd`, 'days=odd, model=xxx'],
      ['/models?sort=odd', 'sort=odd'],
      ['/runs?status=odd', 'status=odd'],
      ['/sessions?tag=%00', 'tag='],
      ['/knowledge?q=%00', 'q='],
      ['/routing/decisions?model=%00', 'model='],
      ['/keys?sort=odd', 'sort=odd'],
      ['/admin/users/1?tab=odd', 'tab=odd'],
    ] as const;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    for (const [path, what] of addresses) {
      await open(path);
      await page.getByText(`The address asks for “${what}`).first().waitFor();
      await settled();
      const left = [...new URL(page.url()).searchParams].map(([name, value]) => `${name}=${value}`);
      expect([path, left.filter((one) => what.includes(one))]).toEqual([path, []]);
    }
    expect(refused).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});
