/** Autonomous runs: started, watched, cancelled and resumed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { planningModel } from './autonomous-run.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { startUpstream } from './upstream.ts';

let site: Site;

/** Eight tasks one after another: long enough to be seen at work, and to be cancelled before its end. */
const goal =
  'Research and analyse the market in depth, then compare the competitors in detail, then design the prices, ' +
  'then write the announcement, then analyse its weak points, then design the support handbook, ' +
  'then compare the channels, then write a launch checklist.';

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

describe.skipIf(browserMissing)('runs', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

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
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await tasks.filter({ hasText: 'Done' }).nth(7).waitFor();
    expect(await tasks.count()).toBe(8);
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
  }, 300_000);

  test('a run is cancelled, and goes on from its checkpoint with other limits', async () => {
    const { page, context, complaints } = await site.register('yuri', phone);
    const model = planningModel(500);
    const upstream = startUpstream(model.script);
    await site.service.serve({ kind: 'openai', modelId: 'patient/chat', type: 'chat', url: upstream.url });
    const tiers = ['plan_model', 'easy_model', 'medium_model', 'hard_model'];
    const data = { use_custom_models: true, ...Object.fromEntries(tiers.map((tier) => [tier, 'patient/chat'])) };
    expect((await context.request.put('/api/svc-ms/user/preferences', { data })).ok()).toBe(true);
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
    expect(await overflow(page)).toBe(0);

    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    const form = page.getByRole('dialog', { name: 'Resume the run' });
    await form.getByLabel('Iterations').fill('7');
    expect(await accessibilityFaults(page)).toEqual([]);
    model.content = true;
    await form.getByRole('button', { name: 'Resume run' }).click();
    await page.getByText(/^Resumed from ckpt-/).waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    const ended = await status();
    expect(ended).toMatchObject({ status: 'completed', config: { max_iterations: 7 } });
    upstream.stop();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a run that does not exist says so', async () => {
    const { page } = await site.register('zoe');
    await page.goto('/runs/never');
    await page.getByText('Session not found').waitFor();
    await page.goto('/sessions/never');
    await page.getByText('Session not found').waitFor();
  }, 300_000);
});
