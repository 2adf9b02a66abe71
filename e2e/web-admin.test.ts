/** Administration: users and their credits, applications, the audit log, options. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ScriptedStripe, scriptedStripe } from '../server/src/topups/stripe.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, passwordOf, type Site, type Visitor } from './browser.ts';
import { until } from './service.ts';

let site: Site;
let stripe: ScriptedStripe;
let admin: Visitor;
let user: Visitor;
let clientId: string;

const redirectUri = 'http://localhost/cb';

describe.skipIf(browserMissing)('administration', () => {
  beforeAll(async () => {
    stripe = scriptedStripe();
    site = await openSite({
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
    });
    [admin, user] = [await site.root(), await site.register('ulf')];
    const data = {
      name: 'Board',
      redirect_uris: [redirectUri],
      scopes: 'openid',
      homepage_url: 'https://board.example/',
    };
    const made = await user.context.request.post('/api/oauth2/applications', { data });
    clientId = ((await made.json()) as { data: { client_id: string } }).data.client_id;
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    await stripe?.close();
    expect([admin, user].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('a code is created, shown once, redeemed by a user and deactivated', async () => {
    const { page } = admin;
    await page.goto('/admin/credits');
    await page.getByText('No codes yet').waitFor();
    await page.getByRole('button', { name: 'Create codes' }).click();
    const form = page.getByRole('dialog', { name: 'Create codes' });
    await form.getByLabel('Value').fill('4');
    await form.getByLabel('Uses per code').fill('2');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    const made = page.getByRole('dialog', { name: 'The new code' });
    const code = await made.getByRole('textbox', { name: 'Code' }).inputValue();
    expect(code).toMatch(/^(\w{5}-){3}\w{5}$/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await made.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('cell', { name: '0 of 2' }).waitFor();
    expect(await page.getByText(code).count()).toBe(0);

    await user.page.goto('/credits');
    await user.page.getByLabel('Code').fill(code.toLowerCase());
    await user.page.getByRole('button', { name: 'Redeem' }).click();
    await user.page.getByText('$4.00 added to your balance').waitFor();
    await user.page.getByText('+$4.00').waitFor();
    expect(await accessibilityFaults(user.page)).toEqual([]);

    await page.reload();
    await page.getByRole('cell', { name: '1 of 2' }).waitFor();
    await page.getByRole('button', { name: /^Actions for code/ }).click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    await page.getByText('Code deactivated').waitFor();
    // The next test expects a balance of zero.
    const { id } = ((await (await user.context.request.get('/api/user/self')).json()) as { data: { id: number } }).data;
    const data = { quota: -2_000_000 };
    expect((await admin.context.request.post(`/api/admin/users/${id}/credits`, { data })).status()).toBe(200);
  }, 300_000);

  test('after payment the user returns to credits, and administrators see the payment', async () => {
    const payer = await site.register('petra');
    const { page } = payer;
    await page.route('https://checkout.stripe.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Stripe</h1>' }),
    );
    await page.goto('/credits');
    await page.getByText('$25').click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pay $25' }).click();
    await page.getByRole('heading', { name: 'Stripe' }).waitFor();
    const payment = stripe.payments.at(-1)!;
    await page.goto(`/credits?topup=${payment.metadata.topup_id}`);
    await page.getByRole('cell', { name: 'Payment pending' }).waitFor();
    payment.paid = true;
    const { body, signature } = await stripe.event('checkout.session.completed', payment);
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const heard = await fetch(`${site.service.url}/api/stripe/webhook`, { method: 'POST', headers, body });
    expect(heard.status).toBe(200);
    await page.getByRole('cell', { name: '+$25.00' }).waitFor();
    await page.getByRole('cell', { name: 'Paid', exact: true }).waitFor();
    await admin.page.goto('/admin/credits');
    await admin.page.getByRole('row', { name: /petra.*Paid/ }).waitFor();
    expect(await accessibilityFaults(admin.page)).toEqual([]);
    expect(payer.complaints).toEqual([]);
  }, 300_000);

  test('a user is found, granted credits, made an administrator and disabled', async () => {
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
    await page.getByText('New balance: $3.00').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Grant credits' }).click();
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
  }, 300_000);

  /** Credits granted by administrators, newest first. */
  const grants = async (): Promise<{ amount: number; note: string }[]> => {
    const answer = await admin.context.request.get('/api/admin/ledger?page_size=100');
    const { data } = (await answer.json()) as { data: { entries: { kind: string; amount: number; note: string }[] } };
    return data.entries.filter(({ kind }) => kind === 'grant');
  };
  const openCredits = async (note: string) => {
    const { page } = admin;
    await page.goto('/admin/users?q=ulf');
    await page.getByRole('button', { name: 'Actions for ulf' }).click();
    await page.getByRole('menuitem', { name: 'Credits' }).click();
    await page.getByLabel('Amount').fill('2');
    await page.getByLabel('Note').fill(note);
    return page.getByRole('button', { name: 'Grant credits' });
  };

  test('a double click grants credits once, also when the first response is lost', async () => {
    const { page } = admin;
    const button = await openCredits('once');
    await button.evaluate((element) => {
      (element as HTMLButtonElement).click();
      (element as HTMLButtonElement).click();
      setTimeout(() => (element as HTMLButtonElement).click(), 15);
    });
    await page.getByText('ulf now has').first().waitFor();
    expect((await grants()).filter(({ note }) => note === 'once')).toHaveLength(1);

    const again = await openCredits('lost');
    // The service processes the request, but the answer is lost.
    await page.route('**/credits', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await again.click();
    await page.getByText('The server could not be reached').waitFor();
    await page.unroute('**/credits');
    await again.click();
    await page.getByText('ulf now has').last().waitFor();
    expect((await grants()).filter(({ note }) => note === 'lost')).toHaveLength(1);
    // The browser logs the lost answer as an error.
    admin.complaints.splice(0);
  }, 300_000);

  test('an action cancelled while offline is never sent', async () => {
    const { page, context } = admin;
    const button = await openCredits('offline');
    await context.setOffline(true);
    await button.click();
    await page.getByText('The server could not be reached').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await context.setOffline(false);
    // A queued request would be sent before those of the next page.
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    expect((await grants()).filter(({ note }) => note === 'offline')).toEqual([]);
    admin.complaints.splice(0);
  }, 300_000);

  test('an application is inspected, limited, suspended and activated', async () => {
    const { page } = admin;
    await page.goto('/admin/applications');
    const menu = page.getByRole('button', { name: 'Actions for Board' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await page.getByText(redirectUri).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    for (const [before, after] of [
      ['1,000', '50'],
      ['50', ''],
      ['', '1,000'],
    ] as const) {
      await menu.click();
      await page.getByRole('menuitem', { name: 'Limit calls' }).click();
      const calls = page.getByLabel('Calls per hour');
      expect(await calls.inputValue()).toBe(before);
      await calls.fill(after);
      await page.getByRole('button', { name: 'Save' }).click();
      await calls.waitFor({ state: 'detached' });
    }
    await menu.click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('Board is suspended').waitFor();
    const asked = `/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri })}`;
    const other = await site.register('ida');
    await other.page.goto(asked);
    await other.page.getByText('cannot request access').waitFor();
    await other.context.close();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await page.waitForURL(/[?&]status=2/);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Activate' }).click();
    await page.getByText('Board is active again').waitFor();
    await page.getByText('No applications', { exact: true }).waitFor();
  }, 300_000);

  test('the audit log filters entries, shows changes and exports them as CSV', async () => {
    const { page } = admin;
    await page.goto('/admin/audit');
    const suspended = page.getByRole('row').filter({ hasText: 'Application suspended' });
    await suspended.getByRole('button', { name: /^Only entries for application Board \d+$/ }).waitFor();
    await suspended.getByRole('button', { name: 'Only entries for user root 1' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const opener = suspended.getByRole('button', { name: /^Details of entry/ });
    await opener.click();
    await page.getByRole('row', { name: 'Status Active Suspended', exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await opener.click();
    await page.getByRole('combobox', { name: 'Event' }).fill('registered');
    await page.getByRole('option', { name: 'Application registered' }).click();
    await page.waitForURL(/[?&]action=app_created/);
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('button', { name: /^Details of entry/ }).click();
    await page.getByText('"app_name": "Board"').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const csv = await Bun.file((await (await saved).path())!).text();
    expect(csv).toContain('app_created');
    expect(csv).not.toContain('app_suspended');
    await page.getByRole('button', { name: /^Only entries for user/ }).click();
    await page.waitForURL(/[?&]actor=ulf/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByLabel('Target').fill('ULF');
    await page.waitForURL(/[?&]target=ULF/);
    for (const event of ['Credits granted', 'User changed'])
      await page.getByRole('row').filter({ hasText: event }).first().waitFor();
    await suspended.waitFor({ state: 'detached' });
  }, 300_000);

  test('an option is changed, takes effect immediately and is reset', async () => {
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
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') changes.push(request.postData() ?? '');
    });
    await page.getByRole('textbox', { name: 'Option name or keyword' }).fill('access tokens');
    await registration.waitFor({ state: 'detached' });
    await page.waitForURL(/[?&]q=access/);
    const lifetime = page.getByLabel('Access token lifetime', { exact: true });
    // A number and its unit are one field: nothing is saved between the two.
    await page.getByRole('combobox', { name: 'Unit of Access token lifetime' }).click();
    await page.getByRole('option', { name: 'minutes' }).click();
    await lifetime.clear();
    await lifetime.pressSequentially('90');
    await lifetime.press('Enter');
    await page.getByText('Now 1.5 hours.').waitFor();
    expect(changes).toEqual([JSON.stringify({ key: 'OAuth2AccessTokenTTL', value: 5400 })]);
    await lifetime.fill('120');
    await lifetime.press('Enter');
    await page.getByText('Now 2 hours.').waitFor();
    await page.getByRole('button', { name: 'Clear Option name or keyword' }).click();
    const credits = page.getByLabel('Quota for new user', { exact: true });
    await credits.clear();
    await credits.pressSequentially('1.05');
    await credits.press('Enter');
    await page.getByRole('button', { name: 'Reset Quota for new user' }).waitFor();
    const saved = async (key: string) => {
      const answer = await admin.context.request.get('/api/admin/options');
      const { data } = (await answer.json()) as { data: { key: string; value: unknown }[] };
      return data.find((option) => option.key === key)!.value;
    };
    expect([await saved('QuotaForNewUser'), await saved('OAuth2AccessTokenTTL')]).toEqual([525_000, 7200]);
    await page.getByRole('button', { name: 'Reset Quota for new user' }).click();
    await until('it is back', async () => (await saved('QuotaForNewUser')) === 0);

    const limit = page.getByLabel('Rate limit /v1', { exact: true });
    await limit.fill('0');
    await limit.press('Enter');
    const warned = page.getByRole('dialog', { name: 'Rate limit /v1: 0 / minute?' });
    await warned.getByText('These calls are no longer limited.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    // Enter cancels.
    await warned.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await warned.waitFor({ state: 'detached' });
    expect([await limit.inputValue(), await saved('RateLimitV1')]).toEqual(['240 / minute', 240]);
    await lifetime.fill('0');
    await lifetime.press('Enter');
    await page.getByText('OAuth2AccessTokenTTL must be between').waitFor();
    await page.reload();
    await page.getByText('Now 2 hours.').waitFor();
    await visitor.context.close();
  }, 300_000);
});
