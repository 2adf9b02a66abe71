/** An identity provider is allowed to vouch, a server accepts its assertions, and a user signs in through it from the tools page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startVoucher, type Voucher } from '../server/src/identity/sign-in/voucher.fixture.ts';
import { systemClock } from '../server/src/lib/clock.ts';
import { type SignedInServer, startSignedIn } from '../server/src/mcp/signed-in.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { rootPassword } from './service.ts';

let site: Site;
let company: Voucher;
let wiki: SignedInServer;
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
const whole = async (page: Page) => expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);

describe.skipIf(browserMissing)('MCP sign-in through an identity provider', () => {
  beforeAll(async () => {
    company = startVoucher(systemClock);
    wiki = startSignedIn();
    wiki.byHand = { app: 'shown-to-nobody' };
    wiki.vouchedFor = company.believed;
    site = await openSite({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  }, 300_000);
  afterAll(async () => {
    company?.stop();
    wiki?.stop();
    await site?.stop();
  });

  test('a provider is enabled for it, chosen for a server and used to sign in', async () => {
    const { page, complaints } = await site.root(phone);
    await page.goto('/admin/identity-providers');
    await page.getByRole('button', { name: 'Connect a provider' }).first().click();
    const provider = page.getByRole('dialog', { name: 'Connect a provider' });
    await provider.getByLabel(/^Name/).fill('Acme');
    await provider.getByLabel(/^Short name/).fill('acme');
    await provider.getByLabel(/^Issuer/).fill(company.issuer);
    await provider.getByLabel(/^Client ID/).fill('svc');
    await provider.getByRole('switch', { name: 'Assert user identity to MCP servers' }).press('Space');
    await whole(page);
    await provider.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Acme is responding').waitFor();

    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Connect a server' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect a server' });
    await form.getByLabel(/^Name/).fill('wiki');
    await form.getByLabel(/^Address/).fill(wiki.url);
    await form.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'Identity provider asserts user identity' }).click();
    await form.getByLabel('Client ID').fill('app');
    await form.getByRole('textbox', { name: 'Client secret' }).fill('shown-to-nobody');
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await form.getByText('Choose an identity provider.').waitFor();
    await form.getByRole('combobox', { name: 'Identity provider' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await whole(page);
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    // The administrator who connected it has not signed in through the provider yet.
    await page.getByText('the user has to sign in to this service again through Acme').waitFor();

    await page.goto('/tools');
    const signIn = page.getByRole('button', { name: 'Sign in through Acme for wiki' });
    await signIn.waitFor();
    await whole(page);
    await signIn.press('Enter');
    const connect = page.getByRole('dialog', { name: 'Connect your account at Acme' });
    await connect.getByLabel('Your password').fill(rootPassword);
    await whole(page);
    await connect.getByRole('button', { name: 'Continue' }).press('Enter');
    await page.getByText('Signed in', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/tools');

    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Actions for wiki' }).click();
    await page.getByRole('menuitem', { name: 'Tools' }).click();
    await page.getByRole('switch', { name: 'who allowed' }).waitFor();
    await page.goto('/account');
    await page.getByText('Confirms your identity to MCP servers').waitFor();
    await whole(page);
    expect(await page.content()).not.toContain('refresh-ann');
    expect(complaints).toEqual([]);
  }, 300_000);
});
