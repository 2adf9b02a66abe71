/** Videos: made, played, downloaded, cancelled. */
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

  test('a video is made, played and downloaded; another is cancelled', async () => {
    const { page, complaints } = await site.register('abel');
    await page.goto('/videos');
    await page.getByText('No videos yet').waitFor();
    await page.getByRole('button', { name: 'Create video' }).click();
    await page.getByText('Say what the video should show.').waitFor();
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
    await page.getByText('It was cancelled, and nothing was charged.').waitFor();
    upstream.stop();
    expect(complaints).toEqual([]);
  }, 300_000);
});
