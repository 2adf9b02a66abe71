/** What the orchestration model stores: sessions, knowledge and preferences. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';

let site: Site;

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

describe.skipIf(browserMissing)('sessions, knowledge and preferences', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('a chat started through the API is shown, continued and deleted', async () => {
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
    await page.getByText('Continue thread').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('And a topic?');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Answer from svc/svc-ms' }).getByText('1 of 1 task done').waitFor();
    await page.goto('/sessions/thread');
    await page.getByRole('region', { name: 'History' }).getByText('And a topic?', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete session' }).click();
    await page.getByText('No sessions yet').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a plan waiting for tools shows its status and the call', async () => {
    const visitor = await site.register('toni', phone);
    const { page } = visitor;
    await chat(visitor, 'oslo', 'What is the weather in Oslo?', { tools: [weather], tool_choice: 'required' });
    await page.goto('/sessions/oslo');
    await page.getByRole('heading', { name: 'Active plan' }).waitFor();
    await page.getByText('Waiting for tools').first().waitFor({ state: 'attached' });
    await page.getByRole('region', { name: 'History' }).getByText('get_weather').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.goto('/sessions');
    await page.getByText('Plan in progress').waitFor();
  }, 300_000);

  test('a session is created with tags and found by tag', async () => {
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
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('button', { name: 'research' }).click();
    await page.waitForURL('**/sessions?tag=research');
    await page.getByRole('link', { name: 'atlas' }).waitFor();
    await page.getByLabel('Tag', { exact: true }).fill('other');
    await page.getByText('No sessions tagged “other”').waitFor();
  }, 300_000);

  test('knowledge is added, found while typing, edited and deleted', async () => {
    const { page, complaints } = await site.register('vera');
    await page.goto('/knowledge');
    await page.getByText('No knowledge yet').waitFor();
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
    await page.getByText('No matches').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('files are imported, found by content and deleted; unreadable files are rejected with a reason', async () => {
    const { page, complaints } = await site.register('xenia');
    await page.goto('/knowledge');
    await page.getByText('No knowledge yet').waitFor();
    await page.getByRole('button', { name: 'Import files' }).first().click();
    const form = page.getByRole('dialog', { name: 'Import files' });
    const guide = '# Harbour\n\n## Berths\n\nThe harbour has twelve berths.\n';
    await form.locator('input[type=file]').setInputFiles([
      { name: 'guide.md', mimeType: 'text/markdown', buffer: Buffer.from(guide) },
      { name: 'papers.pdf', mimeType: 'application/pdf', buffer: Buffer.from([0x50, 0x4b, 3, 4]) },
    ]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Import 2 files' }).click();
    await form.getByText('papers.pdf was not imported. The file is a ZIP archive').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    const files = page.getByRole('region', { name: 'Imported files' });
    await files.getByText('Ready').waitFor();
    await page.getByRole('heading', { name: 'Harbour › Berths' }).waitFor();
    await page.getByText('From guide.md, Harbour › Berths').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);

    await files.getByRole('button', { name: 'Delete guide.md' }).click();
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('No knowledge yet').waitFor();
    expect(await files.count()).toBe(0);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('any number of files is imported; after a failure, those that were not sent are', async () => {
    const { page, context } = await site.register('yara');
    await page.goto('/knowledge');
    await page.getByRole('button', { name: 'Import files' }).first().click();
    const form = page.getByRole('dialog', { name: 'Import files' });
    const files = Array.from({ length: 45 }, (_, i) => ({
      ...{ name: `part ${i}.txt`, mimeType: 'text/plain' },
      buffer: i === 7 ? Buffer.alloc(11 * 1_048_576, 'a ') : Buffer.from(`This is part ${i} of the guide.`),
    }));
    await form.locator('input[type=file]').setInputFiles(files);
    let requests = 0;
    await page.route('**/knowledge/import', (route) => {
      requests += 1;
      return requests === 2 ? route.abort() : route.continue();
    });
    await form.getByRole('button', { name: 'Import 45 files' }).click();
    await form.getByText('The files were not imported').waitFor();
    await form.getByText('part 7.txt was not imported. The file is larger than 10 MiB.').waitFor();
    await form.getByRole('button', { name: 'Import 25 files' }).click();
    await form.waitFor({ state: 'detached' });
    const answer = await context.request.get('/api/svc-ms/knowledge/sources');
    expect((await answer.json()).data.total).toBe(44);
  }, 300_000);

  test('a preference is saved, rejected if invalid, and reset', async () => {
    const { page, context, complaints } = await site.register('walt');
    const saved = async () => (await (await context.request.get('/api/svc-ms/user/preferences')).json()).data;
    await page.goto('/orchestration/preferences');
    const tasks = page.getByLabel('Tasks per plan', { exact: true });
    await tasks.fill('3');
    await tasks.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await saved()).max_tasks_per_plan).toBe(3);
    // Saving does not move the focus.
    const focused = tasks.and(page.locator(':focus'));
    expect(await focused.count()).toBe(1);
    await tasks.fill('500');
    await tasks.press('Enter');
    await page.getByText('Enter a whole number from 1 to 50.').waitFor();
    expect((await saved()).max_tasks_per_plan).toBe(3);
    await tasks.press('Escape');
    await page.getByRole('button', { name: 'Reset Tasks per plan' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[aria-label="Tasks per plan"]')?.value === '8',
    );
    expect((await saved()).max_tasks_per_plan).toBe(8);
    await focused.waitFor();

    await page.getByRole('combobox', { name: 'Reranking' }).click();
    expect((await page.getByRole('option').allTextContents()).map((text) => text.split(' ')[0])).toEqual([
      'demo/rerank',
    ]);
    await page.getByRole('option', { name: 'demo/rerank' }).click();
    await page.getByRole('button', { name: 'Reset Reranking' }).and(page.locator(':not([disabled])')).waitFor();
    expect((await saved()).rerank_model).toBe('demo/rerank');
    await page.getByRole('button', { name: 'Reset Reranking' }).click();
    await page.getByRole('combobox', { name: 'Reranking' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await page.getByText('Nothing learned yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});
