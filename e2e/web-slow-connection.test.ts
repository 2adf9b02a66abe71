/** Over a slow connection: nothing is sent twice, or before it is known what it depends on. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

/** Holds back what is saved until it is let go, and counts it. */
async function slowly(page: Page, api: string) {
  const sent: unknown[] = [];
  let letGo = () => {};
  const held = new Promise<void>((end) => (letGo = end));
  await page.route(api, async (route) => {
    if (route.request().method() === 'PUT') {
      sent.push(route.request().postDataJSON());
      await held;
    }
    await route.continue();
  });
  const answered = async () => {
    letGo();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.unroute(api);
  };
  return { sent, answered };
}

describe.skipIf(browserMissing)('a slow connection', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterAll(() => site?.stop());

  test('an option is sent once by Enter and leaving the field, without the spaces pasted with it', async () => {
    const { page, complaints, open } = await site.root();
    await open('/admin/options?q=CorsOrigins');
    const text = page.getByLabel('CORS origins', { exact: true });
    const { sent, answered } = await slowly(page, '**/api/admin/options');
    await text.fill('  https://app.example ');
    await text.press('Enter');
    await until('it is sent', async () => sent.length > 0);
    await text.press('Tab');
    await answered();
    expect(sent).toEqual([{ key: 'CorsOrigins', value: 'https://app.example' }]);
    expect(await text.inputValue()).toBe('https://app.example');
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a switch shows at once what was chosen, and a preference is sent once', async () => {
    const { page, complaints, open } = await site.root();
    await open('/admin/options?q=RegistrationEnabled');
    const registration = page.getByRole('switch', { name: 'Registration enabled' });
    const option = await slowly(page, '**/api/admin/options');
    await registration.click();
    await registration.and(page.locator(':not(:checked)')).waitFor();
    await registration.click();
    await registration.and(page.locator(':checked')).waitFor();
    await option.answered();
    await until('both are saved', async () => option.sent.length === 2);
    await registration.and(page.locator(':checked')).waitFor();

    await open('/orchestration/preferences');
    const preference = await slowly(page, '**/api/svc-ms/user/preferences');
    const number = page.getByLabel('Tasks per plan', { exact: true });
    await number.fill('7');
    await number.press('Enter');
    await until('it is sent', async () => preference.sent.length > 0);
    await number.press('Tab');
    await preference.answered();
    expect(preference.sent.length).toBe(1);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a key is not made before it is known that it could belong to an organisation', async () => {
    const { page, context, complaints } = await site.register('olga');
    expect((await context.request.post('/api/organisations', { data: { name: 'Acme' } })).ok()).toBe(true);
    let letGo = () => {};
    const held = new Promise<void>((end) => (letGo = end));
    await page.route('**/api/organisations', async (route) => {
      await held;
      await route.continue();
    });
    let made = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/(tokens|keys)$/.test(request.url())) made += 1;
    });
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('quick');
    await form.getByLabel('Name').press('Enter');
    await form.locator('button[data-loading]').waitFor();
    letGo();
    await form.getByText('Choose who owns this.').waitFor();
    expect(made).toBe(0);
    await form.getByRole('combobox', { name: 'Organisation' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await form.getByRole('combobox', { name: 'Belongs to' }).waitFor();
    await form.getByLabel('Name').press('Enter');
    await page.getByText('I have saved it').waitFor();
    const { data } = (await (await context.request.get('/api/tokens')).json()) as { data: { name: string }[] };
    expect([made, JSON.stringify(data).includes('quick')]).toEqual([1, true]);
    expect(complaints).toEqual([]);
  }, 300_000);
});
