/** Checks for all pages: access, requests, and layout on every screen size. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, overflow, type Site } from './browser.ts';
import { openFilledSite, paths, pathsOfRelay } from './every-page.ts';
import { until } from './service.ts';

let site: Site;

describe.skipIf(browserMissing)('pages', () => {
  beforeAll(async () => {
    site = await openFilledSite();
    await site.register('eve');
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('the API reference needs no login, can be searched and linked to', async () => {
    const { page, complaints } = await site.visit();
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'API reference' }).waitFor();
    await page.getByLabel('Search endpoints').fill('post chat');
    await page.waitForURL(/q=post/);
    const chat = page.getByRole('article', { name: 'POST /v1/chat/completions' });
    await chat.getByRole('button', { name: /chat\/completions/ }).click();
    expect(await chat.getByRole('region', { name: 'curl example' }).innerText()).toContain('Bearer $SVC_API_KEY');
    expect(page.url()).toContain('#post-/v1/chat/completions');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto('/docs#put-/api/tokens/{id}');
    await page.reload();
    const named = page.getByRole('article', { name: 'PUT /api/tokens/{id}', exact: true });
    await named.getByRole('heading', { name: 'Body', exact: true }).waitFor();
    await until('it is in view', () =>
      named.evaluate((element) => Math.abs(element.getBoundingClientRect().top) < 200),
    );
    expect(complaints).toEqual([]);
  }, 300_000);

  test('administration pages do not exist for other users', async () => {
    const { page } = await site.register('una');
    for (const path of paths.filter((path) => path.startsWith('/admin'))) {
      await page.goto(path);
      await page.getByText('This page does not exist').waitFor();
    }
    await page.goto('/');
    await page.getByText('Call it from your code').waitFor();
    expect(await page.getByText('Add a provider').count()).toBe(0);
    await page.goto('/playground?model=demo/chat');
    await page.getByText('Ask your administrator for a real model.').waitFor();
    expect(await page.getByText('Add a provider').count()).toBe(0);
  }, 300_000);

  test('on a phone, table rows are cards with labelled fields and reachable actions', async () => {
    const { page } = await site.root({ viewport: { width: 390, height: 800 } });
    await page.goto('/admin/users');
    const acts = page.getByRole('button', { name: 'Actions for eve' });
    await acts.waitFor();
    const inSight = async () => {
      const box = (await acts.boundingBox())!;
      return box.x >= 0 && box.x + box.width <= 390;
    };
    const table = page.getByRole('region', { name: 'Users' });
    expect(await table.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
    // The page itself scrolls, not a region within it.
    expect(await table.evaluate((region) => region.scrollHeight - region.clientHeight)).toBe(0);
    expect(await inSight()).toBe(true);
    // The tab order matches the visual order: actions come after the name.
    const before = await acts.evaluate((button) => button.closest('td')?.previousElementSibling?.textContent);
    expect(before).toContain('eve');
    const names = await table
      .locator('tr')
      .filter({ hasText: 'eve' })
      .locator('td[data-label]')
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::before').content));
    for (const name of ['Email', 'Role', 'Status', 'Balance', 'Spent', 'Requests', 'Joined'])
      expect(names).toContain(JSON.stringify(name));
    await acts.click();
    await page.getByRole('menuitem', { name: 'Credits' }).waitFor();
  }, 300_000);

  test('long addresses and names keep all columns visible; the sidebar shows the open page', async () => {
    const { context } = await site.register('lang');
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example`;
    const data = { email, display_name: 'N'.repeat(60) };
    expect((await context.request.put('/api/user/self', { data })).ok()).toBe(true);
    const { page, open } = await site.root();
    await page.setViewportSize({ width: 1280, height: 600 });
    await open('/admin/users?q=lang');
    const table = page.getByRole('region', { name: 'Users' });
    const row = table.getByRole('row').filter({ hasText: 'lang' });
    await row.waitFor();
    expect(await table.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
    const { x, width } = (await table.boundingBox())!;
    for (const cell of [...(await table.getByRole('columnheader').all()), ...(await row.locator('td, th').all())]) {
      const box = (await cell.boundingBox())!;
      expect([box.x >= x, box.x + box.width <= x + width + 1, box.width > 40]).toEqual([true, true, true]);
    }
    const [name, address] = await row.locator('td, th').all();
    for (const cell of [name!, address!]) expect((await cell.boundingBox())!.width).toBeGreaterThan(120);
    await open('/admin/system');
    const current = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'System', exact: true });
    await until('it is in sight', async () => {
      const box = (await current.boundingBox())!;
      return box.y >= 0 && box.y + box.height <= 600;
    });
  }, 300_000);

  test('every page loads with at most twelve requests from an empty cache', async () => {
    const many: string[] = [];
    for (const path of [...paths, '/login', '/register']) {
      const visitor = ['/login', '/register'].includes(path) ? await site.visit() : await site.root({});
      const asked: string[] = [];
      visitor.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await visitor.open(path);
      // The first page prefetches the others when idle, starting with their styles.
      const later = path === '/' ? asked.findIndex((one) => /\/styles-(?!first-)/.test(one)) : -1;
      const coming = later === -1 ? asked : asked.slice(0, later);
      if (coming.length > 12) many.push(`${path}: ${coming.join(' ')}`);
      expect([path, visitor.complaints]).toEqual([path, []]);
      await visitor.context.close();
    }
    expect(many).toEqual([]);
  }, 300_000);

  test('the preloaded requests of the first page are sent only once', async () => {
    const visitor = await site.root({});
    const asked: string[] = [];
    visitor.page.on('request', (request) => asked.push(request.url().slice(site.service.url.length)));
    const [answer] = await Promise.all([
      visitor.page.waitForResponse((response) => response.url() === `${site.service.url}/`),
      visitor.open('/'),
    ]);
    const named = [...((await answer.headerValue('link')) ?? '').matchAll(/<(\/api[^>]*)>/g)].map(([, path]) => path!);
    expect(named.length).toBe(3);
    for (const path of named) expect([path, asked.filter((one) => one === path).length]).toEqual([path, 1]);
    await visitor.context.close();
  });

  test('no page overflows: on a phone in dark mode, with double font size, and on a desktop in light mode', async () => {
    const { page, complaints, open, go, settled } = await site.root();
    // WCAG 1.4.4 (200 % text size) and 1.4.10 (400 % zoom on a desktop).
    const tight = [
      [390, '200%'],
      [320, '100%'],
    ] as const;
    const tooWide: string[] = [];
    const looks = [
      ['dark', 390, paths],
      ['light', 1280, pathsOfRelay],
    ] as const;
    for (const [colorScheme, width, checked] of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      for (const [index, path] of checked.entries()) {
        await (index === 0 ? open(path) : go(path));
        expect([path, width, await overflow(page), await accessibilityFaults(page)]).toEqual([path, width, 0, []]);
        if (width !== 390) continue;
        for (const [narrow, letters] of tight) {
          await page.setViewportSize({ width: narrow, height: 844 });
          await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), letters);
          await settled();
          const wide = await overflow(page);
          if (wide > 0) tooWide.push(`${path} with letters of ${letters} on ${narrow} px: ${wide} px`);
        }
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
      }
    }
    expect(tooWide).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});
