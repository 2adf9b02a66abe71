/** People as administrators look after them: invited, found, verified, logged out; what they are told; what they let themselves spend. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeAt } from '../server/src/identity/factors/factors.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';
import { rootPassword } from './service.ts';

let site: Site;
let admin: Visitor;
let guest: Visitor;
const chosen = 'a password of my own';

/** Looked at by whoever changes these pages: `SVC_SCREENSHOTS=folder`. */
async function looks(page: Page, as: string): Promise<void> {
  expect([as, await accessibilityFaults(page), await overflow(page)]).toEqual([as, [], 0]);
  const folder = process.env.SVC_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${as}.png`, fullPage: true });
}

/** On a phone in the dark; at a desk in the light where pictures are wanted, or the page is another there. */
async function looksEverywhere({ page, settled }: Visitor, as: string, both = false): Promise<void> {
  for (const [colorScheme, width] of [
    ['dark', 390],
    ['light', 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    if (width === 1280 && !both && !process.env.SVC_SCREENSHOTS) return;
    await settled();
    await looks(page, `${as}-${width}-${colorScheme}`);
  }
}

/** Codes of an app, turned on without looking at the page for it, which has a test of its own. */
async function enrol({ context }: Visitor, password: string): Promise<void> {
  const offered = await context.request.post('/api/user/totp', { data: { password } });
  const { secret } = ((await offered.json()) as { data: { secret: string } }).data;
  const confirmed = await context.request.post('/api/user/totp/confirm', {
    data: { code: codeAt(secret, Date.now()) },
  });
  expect(confirmed.status()).toBe(200);
}

describe.skipIf(browserMissing)('people', () => {
  beforeAll(async () => {
    site = await openSite();
    admin = await site.root();
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect([admin, guest].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('somebody is invited with a role and credits, another is taken back, and the link is used once', async () => {
    const { page, open } = admin;
    await open('/admin/users');
    const invite = async (username: string): Promise<string> => {
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      const form = page.getByRole('dialog', { name: 'Invite somebody' });
      await form.getByLabel('Username').fill(username);
      await form.getByRole('combobox', { name: 'Role' }).click();
      await page.getByRole('option', { name: 'Administrator' }).click();
      await form.getByLabel('Credits to begin with').fill('2.5');
      await looks(page, `invite-${username}`);
      await form.getByRole('button', { name: 'Invite', exact: true }).click();
      const shown = page.getByRole('dialog', { name: 'A link for the user' });
      const link = await shown.getByRole('textbox', { name: 'Link' }).inputValue();
      await shown.getByRole('button', { name: 'I have saved it' }).click();
      return link;
    };
    const links = [await invite('gast'), await invite('falsch')];
    await looksEverywhere(admin, 'users', true);
    const invitations = page.getByRole('region', { name: 'Open invitations' });
    const row = invitations.getByRole('row', { name: /falsch.*Administrator.*\$2\.50/ });
    await row.getByRole('button', { name: 'Actions for the invitation of falsch' }).click();
    await page.getByRole('menuitem', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'Take back', exact: true }).click();
    await row.waitFor({ state: 'detached' });

    guest = await site.visit();
    for (const link of links.toReversed()) {
      await guest.page.goto('about:blank');
      await guest.page.goto(link);
      for (const name of ['password', 'repeated']) await guest.page.locator(`input[name=${name}]`).fill(chosen);
      await guest.page.keyboard.press('Enter');
      await guest.page
        .getByText(link === links[0] ? 'Your password is changed' : 'The password was not changed')
        .waitFor();
    }
    await guest.page.goto('/login');
    await guest.page.getByLabel('Username').fill('gast');
    await guest.page.locator('input[name=password]').fill(chosen);
    await guest.page.keyboard.press('Enter');
    await guest.page.getByRole('heading', { name: 'Welcome, gast' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'gast', exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Open invitations' }).count()).toBe(0);
  }, 300_000);

  test('a person has a page: verified by hand, with keys, applications, sessions and audit, and is told what was done', async () => {
    const { page } = admin;
    const email = { email: `${'g'.repeat(60)}@${'a'.repeat(60)}.example`, display_name: 'ضيف عزيز جدا' };
    await guest.context.request.put('/api/user/self', { data: email });
    await guest.context.request.post('/api/tokens', { data: { name: 'laptop' } });
    const application = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    await guest.context.request.post('/api/oauth2/applications', { data: application });
    await enrol(guest, chosen);
    await page.reload();
    await page.getByRole('link', { name: 'ضيف عزيز جدا' }).click();
    await page.getByRole('heading', { level: 1, name: /ضيف/ }).waitFor();
    await page.getByRole('button', { name: 'Verify by hand' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await looksEverywhere(admin, 'person', true);
    const content: Record<string, string> = {
      Usage: 'Nothing in these days',
      Keys: 'laptop',
      Applications: 'Board',
      Sessions: 'Log out',
      Audit: 'User invited',
    };
    for (const [tab, text] of Object.entries(content)) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText(text).first().waitFor();
      await looksEverywhere(admin, `person-${tab.toLowerCase()}`);
    }
    expect(new URL(page.url()).search).toBe('?tab=audit');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('gast logs in with the password alone now').waitFor();
    await page.getByRole('button', { name: 'Reset second factor' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('Not logged in').waitFor();

    expect((await guest.context.request.get('/api/user/self')).status()).toBe(401);
    await guest.context.request.post('/api/user/login', { data: { username: 'gast', password: chosen } });
    await guest.open('/');
    const notices = guest.page.getByRole('region', { name: 'Notices' });
    await notices.getByText('Your second factors were removed').waitFor();
    await notices.getByText('You were logged out').waitFor();
    await looksEverywhere(guest, 'notices');
    await notices.getByRole('button', { name: 'Put away: You were logged out' }).click();
    await notices.getByText('You were logged out').waitFor({ state: 'detached' });
    await notices.getByRole('button', { name: 'Put away: Your second factors were removed' }).click();
    await notices.waitFor({ state: 'detached' });
  }, 300_000);

  test('the audit log says in words what changed, and leads to who and what', async () => {
    const { page, open } = admin;
    await open('/admin/audit?action=user_updated');
    await page
      .getByRole('button', { name: /^Details of entry/ })
      .first()
      .click();
    await page.getByRole('row', { name: 'Email verified no yes', exact: true }).waitFor();
    await looksEverywhere(admin, 'audit');
    await page.getByRole('link', { name: 'Open user gast' }).click();
    await page.getByRole('heading', { level: 1, name: /ضيف/ }).waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('link', { name: 'Search and download in the audit log' }).click();
    await page.waitForURL(/\/admin\/audit\?user=\d+$/);
    await page.getByText('Only of user').waitFor();
    const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(href).toMatch(/user_id=\d+/);
  }, 300_000);

  test('a limit of one’s own is set, shown with what is used, changed and taken away', async () => {
    const { page, open } = guest;
    await open('/credits');
    await page.getByText('None: requests go on until the balance is used up.').waitFor();
    await page.getByRole('button', { name: 'Set a limit' }).click();
    const form = page.getByRole('dialog', { name: 'Set a limit' });
    // Numbers of every size: none of these is an amount, or a share.
    for (const [amount, alerts] of [
      ['', '50'],
      ['9999999999999999', '50'],
      ['5', '0'],
      ['5', '101'],
      ['5', 'many'],
    ] as const) {
      await form.getByLabel('At most').fill(amount);
      await form.getByLabel('Tell me at').fill(alerts);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText(alerts === '50' ? 'Enter an amount' : 'Enter percentages').waitFor();
    }
    await looks(page, 'limit-faults');
    await form.getByLabel('At most').fill('5');
    await form.getByLabel('Tell me at').fill('75, 100');
    await form.getByRole('button', { name: 'Save' }).dblclick();
    await page.getByText('$0.00 of $5.00 used').waitFor();
    await page.getByText('Told at 75 %, 100 %.').waitFor();
    await looksEverywhere(guest, 'limits');
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('dialog', { name: 'How limits count, and who is told' });
    await settings.getByLabel('Time zone').fill('Nowhere/Land');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('Nothing was saved').waitFor();
    await looks(page, 'limit-settings');
    await settings.getByLabel('Time zone').fill('Europe/Berlin');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for the limit each month' }).click();
    await page.getByRole('menuitem', { name: 'Take away' }).click();
    await page.getByRole('button', { name: 'Take away', exact: true }).click();
    await page.getByText('None: requests go on').waitFor();
  }, 300_000);

  test('where administrators need a second factor, one without it is led to setting one up', async () => {
    await enrol(admin, rootPassword);
    const data = { key: 'AdminSecondFactor', value: true };
    expect((await admin.context.request.put('/api/admin/options', { data })).status()).toBe(200);
    const { page, open } = guest;
    await open('/admin/users');
    await page.getByText('Administrators need a second factor here').first().waitFor();
    await looks(page, 'factor-required');
    await page.getByRole('link', { name: 'Set up a second factor' }).first().click();
    await page.getByText('Until you have set one up').waitFor();
    await looks(page, 'factor-required-account');
    await enrol(guest, chosen);
    await open('/admin/users');
    await page.getByRole('link', { name: 'root', exact: true }).waitFor();
  }, 300_000);
});
