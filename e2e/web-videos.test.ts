/** Videos: generated, played, downloaded, cancelled. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { startUpstream } from '../server/src/video/upstream.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

describe.skipIf(browserMissing)('videos', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('a video is generated, played and downloaded; another is cancelled', async () => {
    const { page, complaints } = await site.register('abel');
    await page.goto('/videos');
    await page.getByText('No videos yet').waitFor();
    await page.getByRole('button', { name: 'Create video' }).click();
    await page.getByText('Describe the video.').waitFor();
    await page.getByLabel('Prompt').fill('A lighthouse in a storm');
    await page.getByRole('combobox', { name: 'Aspect ratio' }).click();
    await page.getByRole('option', { name: '1:1' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create video' }).click();

    const video = page.locator('video');
    await video.waitFor();
    const played = await video.evaluate(async (element: HTMLVideoElement) => {
      element.muted = true;
      await element.play();
      return { width: element.videoWidth, height: element.videoHeight };
    });
    await until('it plays', () => video.evaluate((element: HTMLVideoElement) => element.currentTime > 0.2));
    expect(played.width).toBe(played.height);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^job-.*\.webm$/);
    expect(await accessibilityFaults(page)).toEqual([]);

    const upstream = startUpstream('openai', { status: 'in_progress', progress: 40 });
    await site.service.serve({ kind: 'openai', modelId: 'patient/video', type: 'video', url: upstream.url });
    await page.reload();
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'patient/video' }).click();
    await page.getByLabel('Prompt').fill('One that nobody wants');
    await page.getByRole('button', { name: 'Create video' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('The video was cancelled. Nothing was charged.').waitFor();
    upstream.stop();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the callback secret is shown and rotated, and the previous one stays valid for a while', async () => {
    const { page, complaints, open } = await site.register('cain');
    await open('/videos');
    const field = page.getByLabel('Callback secret', { exact: true });
    expect(await field.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Show: Callback secret' }).click();
    await page.getByRole('button', { name: 'Copy Callback secret' }).waitFor();
    const before = await field.inputValue();
    expect([await field.getAttribute('type'), before.slice(0, 4)]).toEqual(['password', 'vcs_']);
    const exchange = async (overlap: string) => {
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      const dialog = page.getByRole('dialog', { name: 'New callback secret' });
      await dialog.getByRole('combobox', { name: 'Keep the old secret valid' }).click();
      await page.getByRole('option', { name: overlap }).click();
      expect(await accessibilityFaults(page)).toEqual([]);
      const ends = await dialog.getByText('still valid until').count();
      await dialog.getByRole('button', { name: 'Create new secret' }).click();
      await dialog.waitFor({ state: 'detached' });
      return ends;
    };
    expect(await exchange('For a week')).toBe(0);
    const after = await field.inputValue();
    expect([after.slice(0, 4), after === before]).toEqual(['vcs_', false]);
    await page.getByText('with the previous secret, in X-Svc-Signature-Previous').waitFor();
    expect(await exchange('No, revoke it now')).toBe(1);
    await page.getByText('also signed').waitFor({ state: 'detached' });
    expect([before, after]).not.toContain(await field.inputValue());
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});
