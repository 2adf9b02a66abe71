/** Sign-in through another company: connected by an administrator, used by somebody new and by somebody who has an account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type OtherCompany, startOtherCompany } from '../server/src/identity/sign-in/other-company.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, passwordOf, type Site } from './browser.ts';

let site: Site;
let company: OtherCompany;

/** The other company's own pages. */
async function logInThere(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const whole = async (page: Page) => expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);

describe.skipIf(browserMissing)('sign-in through identity providers', () => {
  beforeAll(async () => {
    site = await openSite({ ALLOW_PRIVATE_WEBHOOKS: '1' });
    company = await startOtherCompany([`${site.service.url}/api/auth/acme/callback`]);
    company.people.nora = {
      name: 'Nora',
      preferred_username: 'nora',
      email: 'nora@acme.example',
      email_verified: true,
    };
    company.people.otto = { email: 'otto@acme.example', email_verified: true };
  }, 300_000);
  afterAll(async () => {
    company?.stop();
    await site?.stop();
  });

  test('an administrator connects a provider; people sign in with it and connect existing accounts', async () => {
    const { page, complaints } = await site.root();
    await page.goto('/admin/identity-providers');
    await page.getByText('No providers yet').waitFor();
    await page.getByRole('button', { name: 'Connect a provider' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect a provider' });
    await form.getByLabel(/^Name/).fill('Acme');
    await form.getByLabel(/^Short name/).fill('acme');
    await form.getByLabel(/^Issuer/).fill(company.issuer);
    await form.getByLabel(/^Client ID/).fill(company.client.client_id);
    await form.getByRole('textbox', { name: 'Client secret' }).fill(company.client.client_secret);
    await form.getByRole('switch', { name: 'Trust email addresses as verified' }).press('Space');
    await whole(page);
    await form.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Acme is responding').waitFor();

    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
    const nora = await site.visit(phone);
    await nora.page.goto('/keys');
    const button = nora.page.getByRole('link', { name: 'Continue with Acme' });
    await button.waitFor();
    await whole(nora.page);
    await button.press('Enter');
    await logInThere(nora.page, 'nora');
    await nora.page.waitForURL(`${site.service.url}/keys`);
    await nora.page.goto('/account');
    await nora.page.getByText('nora@acme.example').first().waitFor();
    await nora.page.getByRole('button', { name: 'Set password' }).waitFor();
    await whole(nora.page);
    await nora.page.getByRole('button', { name: 'Actions for nora@acme.example (Acme)' }).click();
    await nora.page.getByRole('menuitem', { name: 'Disconnect' }).click();
    await nora.page.getByText('This is your only way to sign in.').waitFor();

    const { context } = await site.register('otto');
    await context.request.put('/api/user/self', { data: { email: 'otto@acme.example' } });
    const { users } = await site.service.root.api<{ users: { id: number }[] }>('/api/admin/users?q=otto');
    const verified = { method: 'PUT', body: { email_verified: true } };
    await site.service.root.api(`/api/admin/users/${users[0]!.id}`, verified);
    const otto = await site.visit(phone);
    await otto.page.goto('/login');
    await otto.page.getByRole('link', { name: 'Continue with Acme' }).click();
    await logInThere(otto.page, 'otto');
    const password = otto.page.getByRole('textbox', { name: 'Password of otto' });
    await password.fill('wrong');
    await password.press('Enter');
    await otto.page.getByText('The password is wrong.').waitFor();
    await whole(otto.page);
    await password.fill(passwordOf('otto'));
    await password.press('Enter');
    await otto.page.waitForURL(`${site.service.url}/`);
    expect(await (await otto.context.request.get('/api/user/self')).text()).toContain('"username":"otto"');

    await page.getByRole('button', { name: 'Actions for Acme' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Acme is disabled').waitFor();
    const late = await site.visit();
    await late.open('/login?sign_in_error=denied');
    await late.page.getByText('The sign-in was cancelled.').waitFor();
    expect(await late.page.getByText('Continue with').count()).toBe(0);
    // The other company's pages ask for a font on the internet, which is not ours to complain about.
    const ours = [complaints, nora.complaints, otto.complaints, late.complaints]
      .flat()
      .filter((text) => !text.includes('net::ERR_'));
    expect(ours).toEqual([]);
  }, 300_000);
});
