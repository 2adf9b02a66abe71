/** Every dialog of every page: opened by keyboard it takes the focus, is readable in dark mode (other tests cover light mode), and returns the focus on Escape. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, type Visitor } from './browser.ts';
import { type FullSite, openFullSite } from './full-site.ts';
import { until } from './service.ts';

/** The name of a button, or of a menu and the item chosen in it. */
type Opener = string | [menu: string, item: string];

const menu = (name: string, ...items: string[]): Opener[] => items.map((item) => [`Actions for ${name}`, item]);

const dialogs: Record<string, Opener[]> = {
  '/keys': ['Create key', ...menu('laptop', 'Edit', 'Monthly limit', 'Rotate secret', 'Revoke')],
  '/own-keys': ['Add key', ...menu('Mine', 'Edit', 'Remove')],
  '/credits': ['Settings', 'Set a limit', ...menu('the monthly limit', 'Change', 'Remove')],
  '/applications/1': ['Rotate client secret', 'Rotate webhook secret', 'Preview consent screen', 'Delete application'],
  '/authorized-apps': ['Revoke access for Field Notes'],
  '/account': ['Verify your email address', 'Set up', 'Delete my account'],
  '/organisations': ['New organisation'],
  '/organisations/1?tab=overview': ['Leave organisation'],
  '/organisations/1?tab=teams': ['New team', ...menu('Research', 'Rename', 'Provider keys', 'Delete')],
  '/organisations/1?tab=members': [
    'Invite',
    ...menu('ada', 'Role and teams'),
    ...menu('grace@example.com', 'Revoke invitation'),
  ],
  '/organisations/1?tab=budgets': [
    ...['New budget', 'New limit'],
    ...menu('the budget of Team Research', 'Change', 'Delete'),
    ...menu('the limits of Team Research', 'Change', 'Remove'),
  ],
  '/organisations/1?tab=keys': ['Create key', ...menu('robot', 'Edit', 'Move', 'Rotate secret', 'Revoke')],
  '/organisations/1?tab=settings': ['Rotate secret', 'New token', ...menu('Okta', 'Remove'), 'Delete organisation'],
  '/sessions': ['New session', ...menu('garden', 'Delete')],
  '/sessions/garden': ['Delete'],
  '/knowledge': ['Add knowledge', 'Import files', ...menu('Garden', 'Edit', 'Delete')],
  '/runs': ['Start a run'],
  '/videos': ['Rotate secret'],
  '/playground': ['Chats', 'Parameters'],
  '/routing/decisions': ['Details'],
  '/usage': ['Cost of request'],
  '/usage?show=failed': ['No provider of'],
  '/admin/users': [
    'Invite',
    ...menu('eve', 'Edit', 'Credits', 'Remove second factors', 'Delete'),
    ...menu('the invitation of grace', 'Revoke invitation'),
  ],
  '/admin/credits': ['Create codes'],
  '/admin/channels': ['Add channel', ...menu('Northwind', 'Edit', 'Credentials', 'Delete')],
  '/admin/models': ['Add model', ...menu('northwind/large', 'Edit', 'Delete')],
  '/admin/aliases': ['Add alias', ...menu('fast', 'Edit', 'Delete')],
  '/admin/identity-providers': ['Connect a provider', ...menu('Acme', 'Edit', 'Delete')],
  '/admin/applications': menu('Field Notes', 'Details', 'Limit calls', 'Suspend'),
  '/admin/mcp': ['Connect a server', ...menu('files', 'Tools', 'Edit', 'Delete')],
};

let full: FullSite;
let ada: Visitor;

const open = (page: Page) => page.locator('[role=dialog]:visible');

/** By how many pixels a dialog is too wide for a phone with double font size. */
async function sidewaysOnAPhone(page: Page, dialog: Locator): Promise<number> {
  const letters = (size: string) =>
    page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), size);
  const desk = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  await letters('200%');
  const wide = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  await letters('');
  await page.setViewportSize(desk);
  return wide;
}

async function look(page: Page, opener: Opener): Promise<void> {
  const [name, item] = typeof opener === 'string' ? [opener] : opener;
  const button = page.getByRole('button', { name }).first();
  await button.press('Enter');
  if (item) await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
  await until('the focus is in the dialog', () => open(page).locator(':focus').count().then(Boolean));
  expect(await sidewaysOnAPhone(page, open(page))).toBe(0);
  expect(await accessibilityFaults(page, 'grave', '[role=dialog]')).toEqual([]);
  // An open list in the dialog is closed first.
  if (await page.getByRole('listbox').isVisible()) await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await open(page).waitFor({ state: 'detached' });
  await button.and(page.locator(':focus')).waitFor();
}

describe.skipIf(browserMissing)('dialogs', () => {
  beforeAll(async () => {
    full = await openFullSite();
    ada = await full.site.signIn('ada', full.data.adaPassword, { colorScheme: 'dark' });
    ada.context.setDefaultTimeout(15_000);
  }, 300_000);
  afterAll(async () => {
    await full?.stop();
    expect(ada?.complaints ?? []).toEqual([]);
  });

  test.each(Object.entries(dialogs))(
    '%s',
    async (path, openers) => {
      await ada.open(path);
      const lost: string[] = [];
      for (const opener of openers)
        await look(ada.page, opener).catch(async (error) => {
          lost.push(`${opener}: ${String(error.message).split('\n')[0]}`);
          await ada.open(path);
        });
      expect(lost).toEqual([]);
    },
    300_000,
  );
});
