/** Settings that are saved as soon as they change, over a slow connection. */
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

describe.skipIf(browserMissing)('settings', () => {
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
});
