import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  accessibilityFaults,
  browserMissing,
  openSite,
  passwordOf,
  rootPassword,
  type Site,
  type Visitor,
} from './browser.ts';

let site: Site;
let admin: Visitor;
let user: Visitor;
let clientId: string;

const paths = [
  '/keys',
  '/usage',
  '/credits',
  '/applications',
  '/applications/new',
  '/authorized-apps',
  '/admin/users',
  '/admin/applications',
  '/admin/audit',
  '/admin/options',
  '/admin/system',
  '/account',
];

const redirectUri = 'http://localhost/cb';

describe.skipIf(browserMissing)('administration', () => {
  beforeAll(async () => {
    site = await openSite();
    [admin, user] = [await site.signIn('root', rootPassword), await site.register('ulf')];
    const data = {
      name: 'Board',
      redirect_uris: [redirectUri],
      scopes: 'openid',
      homepage_url: 'https://board.example/',
    };
    const made = await user.context.request.post('/api/oauth2/applications', { data });
    clientId = ((await made.json()) as { data: { client_id: string } }).data.client_id;
  }, 60_000);
  afterAll(async () => {
    await site?.stop();
    expect([admin, user].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('a user is found, given credits, made an administrator and disabled', async () => {
    const { page } = admin;
    await page.goto('/admin/users');
    await page.getByLabel('Search users').fill('ulf');
    await page.waitForURL(/[?&]q=ulf/);
    expect(await accessibilityFaults(page)).toEqual([]);
    const menu = page.getByRole('button', { name: 'Actions for ulf' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Credits' }).click();
    await page.getByLabel('Amount').fill('3');
    await page.getByLabel('Note').fill('For the pilot');
    await page.getByText('Balance afterwards: $3.00').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Give credits' }).click();
    await page.getByText('ulf now has $3.00').waitFor();
    await user.page.goto('/credits');
    await user.page.getByText('For the pilot').waitFor();
    expect(await user.page.getByText('+$3.00').count()).toBe(1);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit ulf' });
    await form.getByRole('combobox', { name: 'Role' }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['User', 'Administrator']);
    await page.getByRole('option', { name: 'Administrator' }).click();
    await form.getByLabel('Group').fill('beta');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Administrator beta' }).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('ulf is disabled').waitFor();
    expect((await user.context.request.get('/api/user/self')).status()).toBe(401);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await page.getByText('ulf is enabled').waitFor();
  }, 60_000);

  test('an application is looked at, suspended and activated', async () => {
    const { page } = admin;
    await page.goto('/admin/applications');
    const menu = page.getByRole('button', { name: 'Actions for Board' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await page.getByText(redirectUri).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('Board is suspended').waitFor();
    const asked = `/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri })}`;
    const other = await site.register('ida');
    await other.page.goto(asked);
    await other.page.getByText('may not ask for access').waitFor();
    await other.context.close();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await page.waitForURL(/[?&]status=2/);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Activate' }).click();
    await page.getByText('Board is active again').waitFor();
    await page.getByText('No applications').waitFor();
  }, 60_000);

  test('all of it is in the audit log, by filter and as a file', async () => {
    const { page } = admin;
    await page.goto('/admin/audit');
    await page.getByText('Application suspended').first().waitFor();
    // Names come with few requests, however many rows there are.
    const suspended = page.getByRole('row').filter({ hasText: 'Application suspended' });
    await suspended.getByRole('button', { name: /^Only entries of application Board \d+$/ }).waitFor();
    await suspended.getByRole('button', { name: 'Only entries of user root 1' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Event' }).fill('registered');
    await page.getByRole('option', { name: 'Application registered' }).click();
    await page.waitForURL(/[?&]event=app_created/);
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('button', { name: /^Details of entry/ }).click();
    await page.getByText('"app_name": "Board"').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const csv = await Bun.file((await (await saved).path())!).text();
    expect(csv).toContain('app_created');
    expect(csv).not.toContain('app_suspended');
    await page.getByRole('button', { name: /^Only entries of user/ }).click();
    await page.waitForURL(/[?&]user=\d+/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('Application suspended').first().waitFor();
  }, 60_000);

  test('an option is changed, counts at once, and goes back', async () => {
    const { page } = admin;
    await page.goto('/admin/options');
    const registration = page.getByRole('switch', { name: 'Registration enabled' });
    await registration.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await registration.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const visitor = await site.visit();
    const data = { username: 'late', password: passwordOf('late') };
    expect((await visitor.context.request.post('/api/user/register', { data })).status()).toBe(403);
    await page.getByRole('button', { name: 'Reset Registration enabled' }).click();
    await registration.and(page.locator(':checked')).waitFor();
    expect((await visitor.context.request.post('/api/user/register', { data })).status()).toBe(200);
    const lifetime = page.getByLabel('Access token lifetime', { exact: true });
    await lifetime.fill('7200');
    await lifetime.press('Enter');
    await page.getByText('Now 2 hours.').waitFor();
    await lifetime.fill('0');
    await lifetime.press('Enter');
    await page.getByText('OAuth2AccessTokenTTL must be between').waitFor();
    await page.reload();
    await page.getByText('Now 2 hours.').waitFor();
    await visitor.context.close();
  }, 60_000);

  test('to others these pages do not exist', async () => {
    const visitor = await site.register('eve');
    for (const path of ['/admin/users', '/admin/applications', '/admin/audit', '/admin/options']) {
      await visitor.page.goto(path);
      await visitor.page.getByText('This page does not exist').waitFor();
    }
    await visitor.context.close();
  }, 60_000);

  test('on a phone the acts of a row stay within reach, whatever is scrolled', async () => {
    const visitor = await site.signIn('root', rootPassword, { viewport: { width: 390, height: 800 } });
    const { page } = visitor;
    await page.goto('/admin/users');
    const acts = page.getByRole('button', { name: 'Actions for eve' });
    await acts.waitFor();
    const inSight = async () => {
      const box = (await acts.boundingBox())!;
      return box.x >= 0 && box.x + box.width <= 390;
    };
    const table = page.getByRole('region', { name: 'Users' });
    expect(await table.evaluate((region) => region.scrollWidth > region.clientWidth)).toBe(true);
    expect(await inSight()).toBe(true);
    await table.evaluate((region) => region.scrollTo({ left: 200 }));
    expect(await inSight()).toBe(true);
    await acts.click();
    await page.getByRole('menuitem', { name: 'Credits' }).waitFor();
    await visitor.context.close();
  }, 60_000);

  test('every page is whole in the dark and on a phone', async () => {
    const small = { colorScheme: 'dark', viewport: { width: 390, height: 800 } } as const;
    const visitor = await site.signIn('root', rootPassword, small);
    const { page } = visitor;
    const found: Record<string, unknown> = {};
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const overflow = await page.evaluate(() => {
        // What a card cuts off is as lost as what the page cuts off.
        const cards = [...document.querySelectorAll('.mantine-Card-root')];
        const cut = cards.map((card) => card.scrollWidth - card.clientWidth);
        return Math.max(document.documentElement.scrollWidth - window.innerWidth, ...cut);
      });
      const faults = await accessibilityFaults(page);
      if (overflow > 0 || faults.length > 0) found[path] = { overflow, faults };
    }
    expect(found).toEqual({});
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  }, 120_000);
});
