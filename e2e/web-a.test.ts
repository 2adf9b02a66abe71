import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, type Site } from './browser.ts';

let site: Site;

describe.skipIf(browserMissing)('pages', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 60_000);
  afterAll(() => site?.stop());

  test('a key is made, shown once, changed, and revoked', async () => {
    const { page, complaints } = await site.register('kim');
    await page.goto('/keys');
    await page.getByText('No keys yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('laptop');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create key' }).click();
    const key = await page
      .getByRole('dialog', { name: 'Your new key' })
      .getByLabel('API key', { exact: true })
      .inputValue();
    expect(key).toMatch(/^sk-\w{48}$/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(complaints).toEqual([]);
  }, 60_000);
});
