/** Second factors: setup, login, and confirmation before sensitive actions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeAt } from '../server/src/identity/factors/factors.fixture.ts';
import {
  accessibilityFaults,
  browserMissing,
  openSite,
  overflow,
  passwordOf,
  type Site,
  type Visitor,
} from './browser.ts';

const name = 'ida';
let site: Site;
let user: Visitor;
/** Sessions from before the second factor was set up. */
let before: Visitor;
let allowing: Visitor;
let secret: string;
let recoveryCodes: string[];

/** Set `SVC_SCREENSHOTS=folder` to save screenshots for review. */
async function looks(page: Page, as: string): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
  const folder = process.env.SVC_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${as}.png` });
}

async function logIn(page: Page): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Username').fill(name);
  await page.locator('input[name=password]').fill(passwordOf(name));
  await page.keyboard.press('Enter');
}

describe.skipIf(browserMissing)('second factors', () => {
  beforeAll(async () => {
    // Browsers allow passkeys only on host names, not IP addresses.
    site = await openSite({}, 'localhost');
    user = await site.register(name);
    before = await site.signIn(name, passwordOf(name));
    allowing = await site.signIn(name, passwordOf(name), {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect([user, before, allowing].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('an authenticator app is set up by keyboard, and recovery codes are shown once', async () => {
    const { page, open } = user;
    await open('/account');
    await page.getByRole('button', { name: 'Set up' }).press('Enter');
    await page.getByLabel('Your password').fill(passwordOf(name));
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code of the secret for the app' }).waitFor();
    secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await looks(page, 'totp-setup');
    const code = page.getByLabel('Code from the app');
    await code.fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('This code is not the current one').waitFor();
    await code.fill(codeAt(secret, Date.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have saved them' }).waitFor();
    recoveryCodes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    expect(recoveryCodes).toHaveLength(10);
    await looks(page, 'recovery-codes');
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 left').waitFor();
    await looks(page, 'second-factors');
  }, 300_000);

  test('an older session must confirm before creating a key', async () => {
    const { page, open } = before;
    await open('/keys');
    await page
      .getByRole('button', { name: /New key|Create key|Create a key/ })
      .first()
      .click();
    await page.getByLabel('Name').fill('laptop');
    await page
      .getByRole('button', { name: /^Create/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    await looks(page, 'step-up');
    await dialog.getByLabel('Code').fill(recoveryCodes[0]!);
    await page.keyboard.press('Enter');
    await page.getByText('cannot be shown again').waitFor();
    await dialog.waitFor({ state: 'detached' });
  }, 300_000);

  test('an older session must confirm before letting an application create keys, on a page without navigation', async () => {
    const { page, open } = allowing;
    const redirect_uri = `${site.service.url}/models`;
    const body = { name: 'Tool', redirect_uris: [redirect_uri], scopes: 'openid tokens:write' };
    const { client_id } = await site.service.root.api<{ client_id: string }>('/api/oauth2/applications', {
      ...{ method: 'POST', body },
    });
    const request = { response_type: 'code', client_id, redirect_uri, scope: 'openid tokens:write' };
    await open(`/oauth2/authorize?${new URLSearchParams(request)}`);
    await page.getByRole('button', { name: 'Allow' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    await looks(page, 'step-up-bare-dark-narrow');
    expect(await overflow(page)).toBe(0);
    await dialog.getByLabel('Code').fill(recoveryCodes[2]!);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('code'));
  }, 300_000);

  test('login asks for the second factor, on a phone in dark mode', async () => {
    const { page, complaints } = await site.visit({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await logIn(page);
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await looks(page, 'second-step-dark-narrow');
    expect(await overflow(page)).toBe(0);
    await page.getByLabel('Code').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong').waitFor();
    await page.getByLabel('Code').fill(recoveryCodes[1]!);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
    await page.goto('/account');
    await page.getByText('7 left').waitFor();
    await looks(page, 'account-dark-narrow');
    expect(await overflow(page)).toBe(0);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a passkey is added, logs in without a username and is removed', async () => {
    const { page, context, open } = user;
    const devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await open('/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('input[name=name]').fill('Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Actions for Laptop' }).waitFor();
    await looks(page, 'passkeys');
    await context.clearCookies();
    await open('/login');
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await open('/account');
    await page.getByRole('button', { name: 'Actions for Laptop' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Laptop' }).waitFor({ state: 'detached' });
  }, 300_000);

  test('an invited user sets a password with the link, on a phone in dark mode', async () => {
    const admin = await site.root();
    await admin.open('/admin/users');
    await admin.page.getByRole('button', { name: 'Invite' }).click();
    const form = admin.page.getByRole('dialog', { name: 'Invite user' });
    await form.getByLabel('Username').fill('guest');
    await looks(admin.page, 'invite');
    await admin.page.keyboard.press('Enter');
    const link = await admin.page.getByLabel('Link', { exact: true }).inputValue();
    expect(admin.complaints).toEqual([]);

    const guest = await site.visit({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    const { page } = guest;
    await guest.open(link);
    // The secret must not stay in the address bar or the history.
    expect(page.url()).not.toContain('#');
    await page.locator('input[name=password]').fill('the password of guest');
    await page.locator('input[name=repeated]').fill('the password of guest');
    await looks(page, 'reset-dark-narrow');
    expect(await overflow(page)).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Log in to svc' }).waitFor();
    await looks(page, 'login-dark-narrow');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.locator('input[name=email]').fill('guest@mail.example');
    await page.keyboard.press('Enter');
    await page.getByText('This service does not send email').waitFor();
    await looks(page, 'forgot-dark-narrow');
    await guest.open('/verify-email#made-up');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.locator('input[name=username]').fill('guest');
    await page.locator('input[name=password]').fill('the password of guest');
    await page.keyboard.press('Enter');
    await page.getByText('You are logged in as guest.').waitFor();
    await page.getByRole('button', { name: 'Confirm my address' }).click();
    await page.getByText('This link has been used or has expired').waitFor();
    await looks(page, 'verify-dark-narrow');
    expect(guest.complaints).toEqual([]);
  }, 300_000);
});
