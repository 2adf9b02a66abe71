/** Network failures, double clicks and unusual names: pages report what failed to load, and repeated clicks act once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, overflow, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

/** Opens the form for a key and gives it a name. */
async function newKey(page: Page, name: string) {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill(name);
  return { form, send: form.getByRole('button', { name: 'Create key' }), saved: page.getByText('I have saved it') };
}

/** Right-to-left, with HTML characters, and of maximum length. */
const names = ['مفتاح المختبر שלום', '<b>&amp;"\'`{x} 👩‍👩‍👧‍👦', 'W'.repeat(200)];

describe.skipIf(browserMissing)('network failures', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('a page opened offline says so and loads when the network is back', async () => {
    const { page, context, open } = await site.register('oli');
    // Not the first page, which loads the others at an unknown time.
    await open('/models');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Credits', exact: true }).click();
    const fault = page.getByText('Ledger could not be loaded');
    await fault.waitFor();
    const unreached = page.getByText('The server could not be reached').first();
    await unreached.waitFor();
    for (const name of ['Keys', 'Usage', 'Authorized apps', 'Runs']) {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await unreached.waitFor();
      // A zero would be mistaken for the actual usage.
      if (name === 'Usage') expect(await page.locator('.svc-stat').allInnerTexts()).toEqual(['–', '–', '–', '–']);
    }
    await page.getByRole('link', { name: 'Credits', exact: true }).click();
    await fault.waitFor();
    await context.setOffline(false);
    await fault.waitFor({ state: 'detached' });
  }, 300_000);

  test.each([
    ['en-US', 'Try again'],
    ['zh-CN', '重试'],
  ])(
    'an app that fails to load says so in %s and loads on retry',
    async (locale, again) => {
      const { page, open } = await site.visit({ locale });
      await page.route(/\/assets\/main-/, (route) => route.abort());
      await page.goto('/login');
      const button = page.getByRole('alert').getByRole('button', { name: again });
      await button.waitFor();
      await page.unroute(/\/assets\/main-/);
      await button.click();
      await page.locator('input[type=password]').waitFor();
      await open('/login');
      expect(await button.count()).toBe(0);
    },
    300_000,
  );

  test.each(['.css', '.js'])(
    'pages whose %s file failed to load are loaded when the network is back',
    async (missing) => {
      const { page, context, open } = await site.register(`olga${missing.slice(1)}`);
      await page.addInitScript(() => {
        window.requestIdleCallback = () => 0;
      });
      await open('/');
      let reached = false;
      await page.route(
        (url) => url.pathname.endsWith(missing),
        (route) => (reached ? route.continue() : route.abort('internetdisconnected')),
      );
      await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false }));
      await page.getByRole('link', { name: 'Credits', exact: true }).click();
      const fault = page.getByText('Part of the app could not be loaded');
      await fault.waitFor();
      // A failed retry does not break the app.
      await page.getByRole('button', { name: 'Try again' }).click();
      await fault.waitFor();
      await context.setOffline(true);
      reached = true;
      await context.setOffline(false);
      await page.getByRole('heading', { level: 1, name: 'Credits', exact: true }).waitFor();
    },
    300_000,
  );

  test.each([
    ['/sessions/talk', 'first word', '.svc-markdown'],
    ['/usage', 'Part of the app could not be loaded', '.recharts-surface'],
  ])(
    'a script that is missing when %s needs it does not take the page with it',
    async (path, meanwhile, complete) => {
      const { page, context, open, go } = await site.register(`lea${path.length}`);
      const data = { model: 'svc/svc-ms', messages: [{ role: 'user', content: 'My **first word**' }] };
      const headers = { 'x-svc-web': '1' };
      await context.request.post('/v1/chat/completions', {
        headers,
        data: { ...data, svc_ms: { session_id: 'talk' } },
      });
      await open('/models');
      const scripts = (url: URL) => url.pathname.endsWith('.js');
      await page.route(scripts, (route) => route.abort('internetdisconnected'));
      await go(path);
      await page.getByText(meanwhile).first().waitFor();
      expect(await page.locator(complete).count()).toBe(0);
      await page.unroute(scripts);
      await page.locator(complete).first().waitFor();
      // Once it is loaded, it is shown at once.
      await go('/models');
      await go(path);
      expect(await page.locator(complete).count()).toBeGreaterThan(0);
    },
    300_000,
  );

  test('pages show server errors, stop loading and offer a retry', async () => {
    const { page } = await site.root();
    let failing = true;
    const own = (url: URL) => url.pathname.startsWith('/api/') && !url.pathname.startsWith('/api/user/');
    await page.route(own, (route) =>
      failing ? route.fulfill({ status: 500, json: { success: false, message: 'Broken.' } }) : route.continue(),
    );
    const waiting = page.locator('[aria-busy=true], .mantine-Skeleton-root[data-visible]');
    for (const path of ['/routing/health', '/admin', '/applications/new']) {
      failing = true;
      await page.goto(path);
      const again = page.getByRole('button', { name: 'Try again' });
      await again.first().waitFor();
      await until(`${path} waits for nothing`, async () => (await waiting.count()) === 0);
      failing = false;
      // One retry may also load the data that another one needs.
      while ((await again.count()) > 0)
        await again
          .first()
          .click({ timeout: 2_000 })
          .catch(() => {});
    }
    await page.getByRole('button', { name: 'Register application' }).waitFor();

    failing = true;
    await page.goto('/videos');
    const model = page.getByRole('combobox', { name: 'Model' });
    await page.getByText('The models could not be loaded.').waitFor();
    failing = false;
    await model.click();
    await page.getByRole('option', { name: /demo\/video/ }).waitFor();
  }, 300_000);

  test('a part of a page that could not be loaded is not taken for one that is empty', async () => {
    const { page, complaints } = await site.register('pam');
    const parts = [
      ['/credits', '**/api/user/topups?*', 'Top up could not be loaded'],
      ['/knowledge', '**/api/svc-ms/knowledge/sources?*', 'Imported files could not be loaded'],
      ['/requests', '**/api/user/request-contents', 'This could not be loaded'],
      ['/account', '**/api/user/identities', 'Connected accounts could not be loaded'],
      ['/applications/new', '**/api/organisations', 'This could not be loaded'],
      ['/login', '**/api/auth/providers', 'This could not be loaded'],
    ] as const;
    for (const [path, api, fault] of parts) {
      await page.route(api, (route) => route.fulfill({ status: 500, json: { success: false, message: 'Broken' } }));
      if (path.startsWith('/login')) await page.context().clearCookies();
      await page.goto(path);
      await page.getByRole('alert').filter({ hasText: fault }).waitFor();
      await page.unroute(api);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(fault).waitFor({ state: 'detached' });
    }
    expect(complaints.filter((one) => !one.includes('500'))).toEqual([]);
  }, 300_000);

  test('retries automatically after 429 and 503', async () => {
    const { page, open } = await site.register('remy');
    await page.clock.install();
    await open('/models');
    let refusal: { status: number; headers?: Record<string, string>; body: string } | null = null;
    await page.route('**/api/**', (route) => (refusal ? route.fulfill(refusal) : route.continue()));
    const message = 'Too many requests. Try again in 30 s.';
    refusal = { status: 429, headers: { 'retry-after': '30' }, body: JSON.stringify({ success: false, message }) };
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    const keys = page.getByText('No keys yet');
    await page.getByText(message).first().waitFor();
    refusal = null;
    await page.clock.fastForward(29_000);
    expect(await keys.count()).toBe(0);
    await page.clock.fastForward(1_500);
    await keys.waitFor();

    refusal = { status: 503, body: '<html>' };
    await page.goto('/usage');
    await page.getByText('The service is not responding').waitFor();
    refusal = null;
    await page.clock.fastForward(5_000);
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  }, 300_000);

  test('repeated clicks on a row action send it once, and other rows stay usable', async () => {
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
      await page.getByRole('menuitem', { name: 'Create password link' }).click();
    }
    await until('both are asked for', () => new Set(asked).size === 2);
    expect(asked).toHaveLength(2);
    goOn();
    await page.getByRole('dialog', { name: 'Link for the user' }).waitFor();
  }, 300_000);

  test('a user deleted in another tab disappears from the list', async () => {
    await site.register('twin');
    const { page, context } = await site.root();
    await page.goto('/admin/users?q=twin');
    const link = page.getByRole('link', { name: 'twin', exact: true });
    const id = (await link.getAttribute('href'))!.split('/').at(-1);
    const gone = await context.request.delete(`/api/admin/users/${id}`, { data: {} });
    expect(gone.status()).toBe(200);
    await page.getByRole('button', { name: 'Actions for twin' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await link.waitFor({ state: 'detached' });
  }, 300_000);

  test('a page beyond the end of a list leads to its last page, of an empty list to what it is for', async () => {
    const { page, open } = await site.root();
    await open('/admin/audit?page=9000');
    await page.waitForURL((url) => !['9000', null].includes(url.searchParams.get('page')) || url.search === '');
    await until('there are rows', async () => (await page.getByRole('rowheader').count()) > 0);
    await open('/runs?page=99');
    await page.getByText('No runs').waitFor();
  }, 300_000);

  test('a key is created once when the response is lost and retried; names of every script are kept', async () => {
    const { page, context, open } = await site.register('nina', { viewport: { width: 390, height: 844 } });
    await open('/keys');
    let lost = 0;
    await page.route('**/api/tokens', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort('connectionreset');
    });
    for (const name of names) {
      const { form, send, saved } = await newKey(page, name);
      const taken = await form.getByLabel('Name').inputValue();
      await send.click();
      if (name === names[0]) {
        await form.getByText('The server could not be reached').waitFor();
        await send.click();
      }
      await saved.click();
      await page.getByText(taken, { exact: true }).first().waitFor();
      expect([name.slice(0, 20), await overflow(page)]).toEqual([name.slice(0, 20), 0]);
    }
    const { form, send } = await newKey(page, '   ');
    await send.click();
    await form.locator('[aria-invalid=true], [role=alert]').first().waitFor();
    const made = (await (await context.request.get('/api/tokens')).json()) as { data: { name: string }[] };
    expect(made.data).toHaveLength(names.length);
  }, 300_000);

  test('names of maximum length and right-to-left names do not break lists and headings', async () => {
    const { root } = site.service;
    /** Uses the longest name that the service accepts. */
    const make = async (path: string, body: (name: string) => object, name: string): Promise<{ id: number }> => {
      for (const length of [200, 100, 64, 50])
        try {
          return await root.api<{ id: number }>(path, { method: 'POST', body: body(name.slice(0, length)) });
        } catch (error) {
          if (length === 50) throw error;
        }
      throw new Error(path);
    };
    const visitor = await site.root();
    const single: string[] = [];
    for (const name of ['W'.repeat(200), 'مفتاح'.repeat(40), 'اسم طويل '.repeat(20)]) {
      const application = { redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
      const made = await make('/api/oauth2/applications', (given) => ({ ...application, name: given }), name);
      const organisation = await make('/api/organisations', (given) => ({ name: given }), name);
      await make(`/api/organisations/${organisation.id}/teams`, (given) => ({ name: given }), name);
      await make('/api/tokens', (given) => ({ name: given }), name);
      single.push(`/applications/${made.id}`, `/organisations/${organisation.id}`);
    }
    const odd: string[] = [];
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await visitor.page.setViewportSize({ width, height });
      for (const path of ['/keys', '/applications', '/organisations', '/admin/applications', '/', ...single]) {
        await visitor.open(path);
        const wide = await overflow(visitor.page);
        if (wide > 0) odd.push(`${path} at ${width}: ${wide}`);
      }
    }
    expect(odd).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  }, 300_000);
});
