/** What people do to forms without meaning harm: lost networks, two tabs, odd names. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';
import { until } from './service.ts';

let site: Site;

/** Every page that a user opens from the sidebar, and what says that it has come. */
const pages = ['Keys', 'Usage', 'Credits', 'Applications', 'Authorized apps', 'Knowledge', 'Runs', 'Videos', 'Account'];

const goTo = async (page: Page, name: string) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
};

const listOf = async <T>({ context }: Visitor, path: string): Promise<T[]> =>
  ((await (await context.request.get(path)).json()) as { data: T[] }).data;
const keysOf = (visitor: Visitor) => listOf<{ name: string }>(visitor, '/api/tokens');

/** Opens the form for a key and gives it a name. */
async function newKey(page: Page, name: string) {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill(name);
  return { form, send: form.getByRole('button', { name: 'Create key' }) };
}

/** Words of every script and length, and none at all. */
const names: Record<string, { name: string; kept: string | null }> = {
  'no letters': { name: '', kept: null },
  'blanks alone': { name: '   ', kept: null },
  'right to left': { name: 'مفتاح المختبر שלום', kept: 'مفتاح المختبر שלום' },
  'both ways': { name: 'abc عربي 123', kept: 'abc عربي 123' },
  'signs of a page': { name: '<b>&amp;"\'`{x}', kept: '<b>&amp;"\'`{x}' },
  'small pictures': { name: '👩‍👩‍👧‍👦🔑', kept: '👩‍👩‍👧‍👦🔑' },
};

describe.skipIf(browserMissing)('bad input', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('every page that is opened offline says so, and comes when the network is back', async () => {
    const { page, context, open, complaints } = await site.register('olga');
    await open('/');
    await context.setOffline(true);
    for (const name of pages) {
      await goTo(page, name);
      await page.getByText('The server could not be reached').first().waitFor();
    }
    await context.setOffline(false);
    for (const name of pages) {
      await goTo(page, name);
      await page.getByText('The server could not be reached').first().waitFor({ state: 'detached' });
    }
    // The browser's own words about requests that it could not send.
    expect(complaints.filter((words) => !words.includes('net::ERR'))).toEqual([]);
  }, 300_000);

  test('an answer that is lost on its way is asked for again, and the thing is made once', async () => {
    const visitor = await site.register('dora');
    const { page, open } = visitor;
    await open('/keys');
    let lost = 0;
    await page.route('**/api/tokens', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort('connectionreset');
    });
    const { form, send } = await newKey(page, 'lost and found');
    await send.click();
    await form.getByText('The server could not be reached').waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('lost and found');
    await send.click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect((await keysOf(visitor)).map(({ name }) => name)).toEqual(['lost and found']);
  }, 300_000);

  test('two tabs: what is gone in one is said in words in the other, and logging out ends both', async () => {
    await site.register('twin');
    const admin = await site.root({});
    await admin.open('/admin/users?q=twin');
    const id = Number(
      (await admin.page.getByRole('link', { name: 'twin', exact: true }).getAttribute('href'))!.split('/').at(-1),
    );
    const other = await admin.context.newPage();
    await other.goto(`/admin/users/${id}`);
    await other.getByRole('heading', { level: 1, name: 'twin' }).waitFor();
    await other.getByRole('button', { name: 'Actions for twin' }).click();
    await other.getByRole('menuitem', { name: 'Delete' }).click();
    await other.getByLabel('Type twin to confirm').fill('twin');
    await other.getByRole('button', { name: 'Delete for good' }).click();
    await other.getByText('Deleted', { exact: true }).waitFor();
    // The first tab does not know yet: whatever it does to the user says why it cannot be.
    await admin.page.getByRole('button', { name: 'Actions for twin' }).click();
    await admin.page.getByRole('menuitem', { name: 'Disable' }).click();
    await until(
      'it shows how things are',
      async () =>
        (await admin.page.getByText(`deleted-${id}`).count()) > 0 ||
        (await admin.page.getByText('Nobody found').count()) > 0,
    );
    await other.getByRole('button', { name: /^Account/ }).click();
    await other.close();

    const user = await site.register('zwei');
    await user.open('/keys');
    const second = await user.context.newPage();
    await second.goto('/');
    await second.getByRole('button', { name: /^Account/ }).click();
    await second.getByRole('menuitem', { name: 'Log out' }).click();
    await second.waitForURL(/\/login/);
    const { form, send } = await newKey(user.page, 'unsaved');
    await send.click();
    await user.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('unsaved');
  }, 300_000);

  test('names of every script are kept as they are, none is refused in words, and 200 letters push nothing out', async () => {
    const visitor = await site.register('nina');
    const { page, open } = visitor;
    await open('/keys');
    for (const { name, kept } of Object.values(names)) {
      const { form, send } = await newKey(page, name);
      await send.click();
      if (kept === null) {
        await form.locator('[aria-invalid=true], [role=alert]').first().waitFor();
        await page.keyboard.press('Escape');
        await form.waitFor({ state: 'detached' });
      } else {
        await page.getByRole('button', { name: 'I have saved it' }).click();
        await page.getByText(kept, { exact: true }).first().waitFor();
      }
    }
    const { form, send } = await newKey(page, 'W'.repeat(200));
    const typed = await form.getByLabel('Name').inputValue();
    await send.click();
    // Either the field takes no more than a name may have, or the form says how many those are.
    if (typed.length < 200) await page.getByRole('button', { name: 'I have saved it' }).click();
    else {
      await form.locator('[aria-invalid=true], [role=alert]').first().waitFor();
      await page.keyboard.press('Escape');
    }
    const display = `${'ש'.repeat(32)}${'W'.repeat(32)}`;
    await visitor.context.request.put('/api/user/self', { data: { display_name: display } });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.reload();
      await page.getByText('مفتاح المختبر שלום').first().waitFor();
      expect([width, await overflow(page)]).toEqual([width, 0]);
    }
    const admin = await site.root();
    await admin.open('/admin/users?q=nina');
    await admin.page.getByRole('link', { name: display }).click();
    await admin.page.getByRole('heading', { level: 1, name: display }).waitFor();
    for (const width of [390, 1280]) {
      await admin.page.setViewportSize({ width, height: 844 });
      expect([width, await overflow(admin.page)]).toEqual([width, 0]);
    }
    await admin.page.getByRole('tab', { name: 'Keys' }).click();
    await admin.page.getByText('مفتاح المختبر שלום').waitFor();
    expect(await overflow(admin.page)).toBe(0);
  }, 300_000);
});
