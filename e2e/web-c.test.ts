import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, type Site, type Visitor } from './browser.ts';

let site: Site;

/** Eight tasks one after another: long enough to be seen at work, and to be cancelled before its end. */
const goal =
  'Research and analyse the market in depth, then compare the competitors in detail, then design the prices, ' +
  'then write the announcement, then analyse its weak points, then design the support handbook, ' +
  'then compare the channels, then write a launch checklist.';

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

async function chat({ context }: Visitor, sessionId: string, content: string, more: object = {}): Promise<void> {
  const answer = await context.request.post('/v1/chat/completions', {
    headers: { 'x-svc-web': '1' },
    data: {
      model: 'svc/svc-ms',
      messages: [{ role: 'user', content }],
      svc_ms: { session_id: sessionId },
      ...more,
    },
  });
  expect(await answer.text()).toContain('svc_ms_meta');
}

/** On a phone nothing but tables may be wider than the screen. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

describe.skipIf(browserMissing)('orchestration and video pages', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 60_000);
  afterAll(() => site?.stop());

  test('a chat done through the API is read, gone on with, and deleted', async () => {
    const visitor = await site.register('sasha');
    const { page, complaints } = visitor;
    await page.goto('/sessions');
    await page.getByText('No sessions yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    for (let turn = 1; turn <= 26; turn += 1)
      await chat(visitor, 'thread', `Question number ${turn}: what is **a queue**?`);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'thread' });
    await row.getByText('52', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'thread' }).click();

    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Question number 26').first().waitFor();
    expect(await history.getByText('Question number 26').first().isVisible()).toBe(true);
    expect(await history.getByText('Question number 2:').count()).toBe(0);
    await history.getByRole('button', { name: 'Earlier messages' }).click();
    await history.getByText('Question number 1:').first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Continue in the playground' }).click();
    await page.getByText('Go on with thread').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('And a topic?');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Answer of svc/svc-ms' }).getByText('1 of 1 task done').waitFor();
    await page.goto('/sessions/thread');
    await page.getByRole('region', { name: 'History' }).getByText('And a topic?', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete session' }).click();
    await page.getByText('No sessions yet').waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  test('a plan that waits for tools shows its state and the call', async () => {
    const visitor = await site.register('toni', phone);
    const { page } = visitor;
    await chat(visitor, 'oslo', 'What is the weather in Oslo?', { tools: [weather], tool_choice: 'required' });
    await page.goto('/sessions/oslo');
    await page.getByRole('heading', { name: 'Active plan' }).waitFor();
    await page.getByText('Waits for tools').first().waitFor({ state: 'attached' });
    await page.getByRole('region', { name: 'History' }).getByText('get_weather').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);
    await page.goto('/sessions');
    await page.getByText('Plan under way').waitFor();
  }, 60_000);

  test('a session is made with tags and found by them', async () => {
    const { page } = await site.register('uma');
    await page.goto('/sessions');
    await page.getByRole('button', { name: 'New session' }).first().click();
    const form = page.getByRole('dialog', { name: 'New session' });
    await form.getByLabel('Session id').fill('not valid!');
    await form.getByText('letters, digits').waitFor();
    await form.getByLabel('Session id').fill('atlas');
    await form.getByLabel('Tags').fill('research');
    await page.keyboard.press('Enter');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create session' }).click();
    await page.getByText('Nothing was said yet').waitFor();
    await page.getByRole('button', { name: 'research' }).click();
    await page.waitForURL('**/sessions?tag=research');
    await page.getByRole('link', { name: 'atlas' }).waitFor();
    await page.getByLabel('Tag', { exact: true }).fill('other');
    await page.getByText('No session is tagged “other”').waitFor();
  }, 60_000);

  test('knowledge is added, found while typing, changed, and deleted', async () => {
    const { page, complaints } = await site.register('vera');
    await page.goto('/knowledge');
    await page.getByText('Nothing is remembered yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const add = async (title: string, category: string, content: string) => {
      await page.getByRole('button', { name: 'Add knowledge' }).first().click();
      const form = page.getByRole('dialog', { name: 'Add knowledge' });
      await form.getByLabel('Title').fill(title);
      await form.getByLabel('Category').fill(category);
      await form.getByLabel('Content').fill(content);
      await form.getByRole('button', { name: 'Add entry' }).click();
      await form.waitFor({ state: 'hidden' });
      await page.getByRole('heading', { name: title }).waitFor();
    };
    await add('Metric units', 'preference', 'Temperatures are wanted in Celsius.');
    await add('Office hours', 'fact', 'Support is staffed from eight to six.');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Search knowledge', { exact: true }).last().fill('celsius temperatures');
    await page.waitForURL('**/knowledge?q=celsius*');
    await page.getByRole('heading', { name: 'Office hours' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Metric units' }).waitFor();

    await page.getByRole('button', { name: 'Actions for Metric units' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill('Celsius, always');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Celsius, always' }).waitFor();

    await page.goto('/knowledge?category=fact');
    await page.getByRole('heading', { name: 'Office hours' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Celsius, always' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for Office hours' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete entry' }).click();
    await page.getByText('Nothing matches').waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a preference is saved, refused, and reset', async () => {
    const { page, context, complaints } = await site.register('walt');
    const saved = async () => (await (await context.request.get('/api/svc-ms/user/preferences')).json()).data;
    await page.goto('/orchestration/preferences');
    const tasks = page.getByLabel('Tasks per plan', { exact: true });
    await tasks.fill('3');
    await tasks.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await saved()).max_tasks_per_plan).toBe(3);
    // Saving takes nobody's place away.
    const focused = tasks.and(page.locator(':focus'));
    expect(await focused.count()).toBe(1);
    await tasks.fill('500');
    await tasks.press('Enter');
    await page.getByText('A whole number from 1 to 50.').waitFor();
    expect((await saved()).max_tasks_per_plan).toBe(3);
    await tasks.press('Escape');
    await page.getByRole('button', { name: 'Reset Tasks per plan' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[aria-label="Tasks per plan"]')?.value === '8',
    );
    expect((await saved()).max_tasks_per_plan).toBe(8);
    await focused.waitFor();

    await page.getByRole('combobox', { name: 'Reranking' }).click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['demo/rerank']);
    await page.getByRole('option', { name: 'demo/rerank' }).click();
    await page.getByRole('button', { name: 'Reset Reranking' }).and(page.locator(':not([disabled])')).waitFor();
    expect((await saved()).rerank_model).toBe('demo/rerank');
    await page.getByRole('button', { name: 'Reset Reranking' }).click();
    await page.getByRole('combobox', { name: 'Reranking' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await page.getByText('Nothing learned yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a run is started, watched to its end, and replayed', async () => {
    const { page, complaints } = await site.register('xena');
    await page.goto('/runs');
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('button', { name: 'Start a run' }).first().click();
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByText('Say what should be reached.').waitFor();
    await page.getByLabel('Goal').fill(goal);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL('**/runs/ms-*');

    const tasks = page.getByRole('list', { name: 'Tasks of the plan' }).getByRole('button');
    await tasks.filter({ hasText: 'Running' }).first().waitFor();
    await page.getByRole('region', { name: /^Output of / }).waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor({ timeout: 30_000 });
    expect(await tasks.count()).toBe(8);
    expect(await tasks.filter({ hasText: 'Done' }).count()).toBe(8);
    const lines = () => page.getByRole('region', { name: 'Events' }).getByRole('listitem').allTextContents();
    await page.getByText(/^Completed, /).waitFor();
    const seen = await lines();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.reload();
    await page.getByText(/^Completed, /).waitFor();
    expect(await lines()).toEqual(seen);
    // By keyboard: the first task's own words.
    await tasks.first().focus();
    await page.keyboard.press('Enter');
    expect(await tasks.first().getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('region', { name: /^Output of Research/ }).waitFor();
    await page.goto('/runs?status=completed');
    await page.getByRole('link', { name: /^Research and analyse/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 90_000);

  test('a run is cancelled, and goes on from its checkpoint with other limits', async () => {
    const { page, context, complaints } = await site.register('yuri', phone);
    await page.goto('/runs');
    await page.getByText('No runs yet').waitFor();
    const started = await context.request.post('/api/svc-ms/autonomous/execute', {
      data: { message: goal, session_id: 'launch' },
    });
    expect(started.ok()).toBe(true);
    await page.goto('/runs/launch');
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('What was finished is kept').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    const status = async () => (await context.request.get('/api/svc-ms/autonomous/launch/status')).json();
    expect((await status()).status).toBe('cancelled');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);

    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    const form = page.getByRole('dialog', { name: 'Resume the run' });
    await form.getByLabel('Iterations').fill('7');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Resume run' }).click();
    await page.getByText(/^Resumed from ckpt-/).waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor({ timeout: 30_000 });
    const ended = await status();
    expect(ended).toMatchObject({ status: 'completed', config: { max_iterations: 7 } });
    expect(complaints).toEqual([]);
  }, 90_000);

  test('a run that does not exist says so', async () => {
    const { page } = await site.register('zoe');
    await page.goto('/runs/never');
    await page.getByText('Session not found').waitFor();
    await page.goto('/sessions/never');
    await page.getByText('Session not found').waitFor();
  }, 60_000);

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
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();

    const video = page.locator('video');
    await video.waitFor({ timeout: 30_000 });
    const played = await video.evaluate(async (element: HTMLVideoElement) => {
      element.muted = true;
      await element.play();
      const from = element.currentTime;
      await new Promise((resolve) => setTimeout(resolve, 700));
      return { moved: element.currentTime - from, width: element.videoWidth, height: element.videoHeight };
    });
    expect(played.moved).toBeGreaterThan(0.2);
    expect(played.width).toBe(played.height);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^job-.*\.webm$/);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Prompt').fill('One that nobody wants');
    await page.getByRole('button', { name: 'Create video' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('It was cancelled, and nothing was charged.').waitFor();
    expect(complaints).toEqual([]);
  }, 90_000);
});
