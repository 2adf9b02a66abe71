/** Printed pages. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { browserMissing, openSite, type Site } from './browser.ts';

let site: Site;

describe.skipIf(browserMissing)('printing', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterAll(() => site?.stop());

  test.each(['/usage', '/credits'])(
    '%s is printed with dark text, and stays dark on the screen',
    async (path) => {
      const { page, open } = await site.root({ colorScheme: 'dark' });
      await open(path);
      const ink = () => page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color);
      const onScreen = await ink();
      await page.evaluate(() => {
        const note = () => {
          document.body.dataset.printed = getComputedStyle(document.querySelector('h1')!).color;
        };
        window.addEventListener('beforeprint', note);
      });
      await page.pdf();
      const printed = (await page.locator('body').getAttribute('data-printed')) ?? '';
      const brightest = (color: string) => Math.max(...(color.match(/\d+/g) ?? []).map(Number));
      expect(brightest(onScreen)).toBeGreaterThan(180);
      expect(brightest(printed)).toBeLessThan(60);
      expect(await ink()).toBe(onScreen);
    },
    300_000,
  );
});
