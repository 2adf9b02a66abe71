/** Tables with very long names show all columns and break no word that fits on a line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { browserMissing, overflow, type Site } from './browser.ts';
import { longRun, longSession, openLongSite, tableFaults } from './long-names.ts';

const lists = [
  '/requests',
  '/models',
  '/routing/health',
  '/routing/decisions',
  '/keys',
  '/own-keys',
  '/tools',
  '/usage',
  '/usage?show=failed',
  '/sessions',
  `/sessions/${longSession}`,
  '/knowledge',
  '/runs',
  `/runs/${longRun}`,
  '/applications',
  '/organisations',
  ...['teams', 'members', 'budgets', 'keys', 'usage', 'activity'].map((tab) => `/organisations/1?tab=${tab}`),
  '/admin',
  '/admin?by=user&measure=requests',
  '/admin/users',
  ...['usage', 'keys', 'applications', 'sessions', 'audit'].map((tab) => `/admin/users/1?tab=${tab}`),
  '/admin/channels',
  '/admin/models',
  '/admin/aliases',
  '/admin/mcp',
  '/admin/credits',
  '/admin/identity-providers',
  '/admin/applications',
  '/admin/audit',
];

let site: Site;

describe.skipIf(browserMissing)('tables with long names', () => {
  beforeAll(async () => {
    site = await openLongSite();
  }, 300_000);
  afterAll(() => site?.stop());

  test.each(lists)(
    '%s',
    async (path) => {
      const { page, open, settled } = await site.root();
      await open(path);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await settled();
        expect({ width, faults: await tableFaults(page), overflow: await overflow(page) }).toEqual({
          ...{ width, faults: [], overflow: 0 },
        });
      }
      // The internal username of an organisation’s account.
      expect(await page.content()).not.toMatch(/organisation:[a-z0-9]{16}/);
      await site.closeVisitors();
    },
    300_000,
  );
});
