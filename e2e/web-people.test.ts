/** User administration: invitations, verification, sessions, notices; and personal spending limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeAt } from '../server/src/identity/factors/factors.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';
import { rootPassword, until } from './service.ts';

let site: Site;
let admin: Visitor;
let guest: Visitor;
const chosen = 'a password of my own';
/** Set `SVC_SCREENSHOTS=folder` to save screenshots for review. */
const folder = process.env.SVC_SCREENSHOTS;

async function picture(page: Page, as: string): Promise<void> {
  if (folder) await page.screenshot({ path: `${folder}/${as}.png`, fullPage: true });
}

/** Checks the layout on a phone in dark mode and on a desktop; `fully` also runs axe. */
async function looks({ page, settled }: Visitor, as: string, fully = true): Promise<void> {
  await settled();
  const desk = { width: 1280, height: 844 };
  await page.setViewportSize({ width: 390, height: 844 });
  const narrow = [await overflow(page), fully ? await accessibilityFaults(page) : []];
  for (const colorScheme of folder ? (['dark', 'light'] as const) : []) {
    await page.emulateMedia({ colorScheme });
    for (const size of [{ ...desk, width: 390 }, desk]) {
      await page.setViewportSize(size);
      await settled();
      await picture(page, `${as}-${size.width}-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
  }
  await page.setViewportSize(desk);
  expect([as, ...narrow, await overflow(page)]).toEqual([as, 0, [], 0]);
}

const goTo = async ({ page }: Visitor, name: string) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
};

/** Enables an authenticator app through the API; its page has a separate test. */
async function enrol({ context }: Visitor, password: string): Promise<void> {
  const offered = await context.request.post('/api/user/totp', { data: { password } });
  const { secret } = ((await offered.json()) as { data: { secret: string } }).data;
  const data = { code: codeAt(secret, Date.now()) };
  expect((await context.request.post('/api/user/totp/confirm', { data })).status()).toBe(200);
}

describe.skipIf(browserMissing)('user administration', () => {
  beforeAll(async () => {
    site = await openSite();
    admin = await site.root({ colorScheme: 'dark' });
    guest = await site.visit({ colorScheme: 'dark' });
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect([admin, guest].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('an invited user joins with a role and credits; another invitation is revoked', async () => {
    const { page, open } = admin;
    await open('/admin/users');
    const invite = async (username: string): Promise<string> => {
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      const form = page.getByRole('dialog', { name: 'Invite user' });
      await form.getByLabel('Username').fill(username);
      await form.getByRole('combobox', { name: 'Role' }).click();
      await page.getByRole('option', { name: 'Administrator' }).click();
      // Typed with a thousands separator.
      await form.getByLabel('Initial credits').pressSequentially('1,234.5');
      await form.getByRole('button', { name: 'Invite', exact: true }).click();
      const shown = page.getByRole('dialog', { name: 'Link for the user' });
      const link = await shown.getByRole('textbox', { name: 'Link' }).inputValue();
      await shown.getByRole('button', { name: 'I have saved it' }).click();
      return link;
    };
    const link = await invite('gast');
    await invite('falsch');
    await looks(admin, 'users');
    const invitations = page.getByRole('region', { name: 'Pending invitations' });
    const row = invitations.getByRole('row', { name: /falsch.*Administrator.*\$1,234\.50/ });
    await row.getByRole('button', { name: 'Actions for the invitation of falsch' }).click();
    await page.getByRole('menuitem', { name: 'Revoke invitation' }).click();
    await page.getByRole('button', { name: 'Revoke invitation', exact: true }).click();
    await row.waitFor({ state: 'detached' });

    await guest.page.goto(link);
    for (const name of ['password', 'repeated']) await guest.page.locator(`input[name=${name}]`).fill(chosen);
    await guest.page.keyboard.press('Enter');
    await guest.page.getByRole('link', { name: 'Log in' }).click();
    await guest.page.getByLabel('Username').fill('gast');
    await guest.page.locator('input[name=password]').fill(chosen);
    await guest.page.keyboard.press('Enter');
    await guest.page.getByRole('heading', { name: 'Welcome, gast' }).waitFor();
  }, 300_000);

  test('the user page shows all details and actions, and the user is notified of them', async () => {
    const { page } = admin;
    const { request } = guest.context;
    const email = `${'g'.repeat(60)}@${'a'.repeat(60)}.example`;
    await request.put('/api/user/self', { data: { email, display_name: 'ضيف عزيز جدا' } });
    await request.post('/api/tokens', { data: { name: 'laptop' } });
    const application = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    await request.post('/api/oauth2/applications', { data: application });
    await enrol(guest, chosen);
    // Search explicitly, since the displayed list may be outdated.
    await page.getByLabel('Search users').fill('gast');
    await page.getByRole('link', { name: 'ضيف عزيز جدا' }).click();
    await page.getByRole('heading', { level: 1, name: /ضيف/ }).waitFor();
    await page.waitForFunction(() => document.title.startsWith('ضيف عزيز جدا · User'));
    await page.getByRole('button', { name: 'Verify manually' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await looks(admin, 'person');
    const content: Record<string, string> = {
      Usage: 'No data for these dates',
      Keys: 'laptop',
      Applications: 'Board',
      Sessions: 'Log out',
      Audit: 'User invited',
    };
    for (const [tab, text] of Object.entries(content)) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByText(text).first().waitFor();
      await looks(admin, `person-${tab.toLowerCase()}`, false);
    }
    expect(new URL(page.url()).search).toBe('?tab=audit');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('gast now logs in with the password alone').waitFor();
    await page.getByRole('button', { name: 'Reset second factor' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('Not logged in').waitFor();

    expect((await request.get('/api/user/self')).status()).toBe(401);
    await request.post('/api/user/login', { data: { username: 'gast', password: chosen } });
    await guest.open('/credits');
    const notices = guest.page.getByRole('region', { name: 'Notices' });
    await notices.getByText('Your second factors were removed').waitFor();
    await looks(guest, 'notices');
    for (const title of ['You were logged out', 'Your second factors were removed'])
      await notices.getByRole('button', { name: `Dismiss: ${title}` }).click();
    await notices.waitFor({ state: 'detached' });
  }, 300_000);

  test('audit entries show changes in words and link to user and target', async () => {
    const { page } = admin;
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('link', { name: 'Search and download in the audit log' }).click();
    await page.waitForURL(/\/admin\/audit\?user=\d+$/);
    await page.getByText(/^User .+ only$/).waitFor();
    const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(href).toMatch(/user_id=\d+/);
    const row = page.getByRole('row', { name: /User changed/ });
    await row.getByRole('button', { name: /^Details of entry/ }).click();
    await page.getByRole('row', { name: 'Email verified no yes', exact: true }).waitFor();
    await looks(admin, 'audit');
    await page.getByRole('link', { name: 'Open user gast' }).click();
    await page.getByRole('heading', { level: 1, name: /ضيف/ }).waitFor();
  }, 300_000);

  test('a personal spending limit is set, shown with its usage and removed', async () => {
    const { page } = guest;
    await page.getByText('No limits set. Requests continue until the balance is used up.').waitFor();
    await page.getByRole('button', { name: 'Set a limit' }).click();
    const form = page.getByRole('dialog', { name: 'Set a limit' });
    const amount = form.getByLabel('Amount');
    /** The field moves the caret shortly after each key, which would clear a selection made meanwhile. */
    const empty = () =>
      until('the field is empty', async () => {
        await amount.fill('');
        return (await amount.inputValue()) === '';
      });
    await amount.fill('9999999999999999');
    await form.getByLabel('Notify me at').fill('50, 101');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter an amount').waitFor();
    await form.getByText('Enter at most 20 percentages').waitFor();
    await picture(page, 'limit-faults');
    // Pasting inserts the copied number, or nothing.
    for (const [text, becomes] of [
      ['1,234.5', '$1,234.5'],
      ['1.234,5', '$1,234.5'],
      ['1.2.3', ''],
    ] as const) {
      await empty();
      await amount.evaluate((field, copied) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', copied);
        const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        // If the event is not cancelled, the browser inserts the text.
        if (field.dispatchEvent(pasted)) document.execCommand('insertText', false, copied);
      }, text);
      expect(await amount.inputValue()).toBe(becomes);
    }
    await page.getByText('Nothing was pasted').waitFor();
    // Typing enters the intended number, or a message says that it is not a number.
    for (const [text, becomes] of [
      ['1,5', '$1.5'],
      ['1,500', '$1,500'],
      ['1.500,25', '$1,500.25'],
      ['1 500', '$1,500'],
      ['１２', '$12'],
      ['1234.5', '$1,234.5'],
      ['1e3', '$1'],
    ] as const) {
      await empty();
      await amount.pressSequentially(text);
      expect(`${text} is ${await amount.inputValue()}`).toBe(`${text} is ${becomes}`);
    }
    await page.getByText('“1e3” is not a valid number').waitFor();
    await empty();
    await amount.pressSequentially('25');
    await page.getByText('is not a valid number').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(',');
    expect(await amount.inputValue()).toBe('$2.5');
    await page.keyboard.type('7');
    expect(await amount.inputValue()).toBe('$2.75');
    await amount.fill('5');
    await form.getByLabel('Notify me at').fill('75, 100');
    await form.getByRole('button', { name: 'Save' }).dblclick();
    await page.getByText('$0.00 of $5.00 used').waitFor();
    await page.getByText('Warnings at 75 %, 100 %.').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Limit settings' });
    await settings.getByLabel('Time zone').fill('Nowhere/Land');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('Nothing was saved').waitFor();
    await picture(page, 'limit-settings');
    await settings.getByLabel('Time zone').fill('Europe/Berlin');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.waitFor({ state: 'detached' });
    await looks(guest, 'limits', false);
    await page.getByRole('button', { name: 'Actions for the monthly limit' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No limits set').waitFor();
  }, 300_000);

  test('an administrator without a required second factor is sent to set one up', async () => {
    await enrol(admin, rootPassword);
    const data = { key: 'AdminSecondFactor', value: true };
    expect((await admin.context.request.put('/api/admin/options', { data })).status()).toBe(200);
    await goTo(guest, 'Users');
    const { page } = guest;
    await page.getByText('Administrators must use a second factor').first().waitFor();
    await looks(guest, 'factor-required', false);
    await page.getByRole('link', { name: 'Set up a second factor' }).first().click();
    await page.getByText('You cannot open the administration pages').waitFor();
    await enrol(guest, chosen);
    await goTo(guest, 'Users');
    await page.getByRole('link', { name: 'root', exact: true }).waitFor();
  }, 300_000);
});
