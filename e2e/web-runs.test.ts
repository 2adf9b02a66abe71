/** Autonomous runs: started, watched, cancelled and resumed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type McpTestServer, startMcp } from '../server/src/mcp/mcp.fixture.ts';
import { planningModel } from './autonomous-run.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { type Script, startUpstream } from './upstream.ts';

let site: Site;

/** Eight tasks in sequence: long enough to be watched and to be cancelled before the end. */
const goal =
  'Research and analyse the market in depth, then compare the competitors in detail, then design the prices, ' +
  'then write the announcement, then analyse its weak points, then design the support handbook, ' +
  'then compare the channels, then write a launch checklist.';

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** The first task calls the tool once if it is offered; otherwise like the given script. */
const callsFirst =
  (script: Script, tool: string): Script =>
  (asked) => {
    const said = JSON.stringify(asked.body.messages);
    const wants = said.includes('Your task: Title p1') && asked.body.tools && !said.includes('"role":"tool"');
    const calls = [{ id: 'c1', name: tool, args: { to: 'everybody' } }];
    return wants ? says('openai', { calls })(asked) : script(asked);
  };

async function connect(server: McpTestServer, tool: string): Promise<void> {
  const { root } = site.service;
  const body = { name: 'post', url: server.url, audience: 'everyone' };
  const { id } = await root.api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  const tested = await root.api<{ tools: { name: string; definition: string }[] }>(`/api/mcp/servers/${id}/test`, {
    method: 'POST',
  });
  const { definition } = tested.tools.find(({ name }) => name === tool)!;
  const tools = [{ name: tool, definition, ask_first: true }];
  await root.api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools } });
}

const dollars = (text: string): number => Number(text.replaceAll(/[^0-9.]/g, ''));

describe.skipIf(browserMissing)('runs', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on', ALLOW_PRIVATE_WEBHOOKS: '1' });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('a run is started, watched to its end and replayed after a reload', async () => {
    const { page, complaints } = await site.register('xena');
    await page.goto('/runs');
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('button', { name: 'Start a run' }).first().click();
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByText('Enter a goal.').waitFor();
    await page.getByLabel('Goal').fill(goal);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL('**/runs/ms-*');

    const tasks = page.getByRole('list', { name: 'Tasks in the plan' }).getByRole('button');
    await tasks.filter({ hasText: 'Running' }).first().waitFor();
    await page.getByRole('region', { name: /^Output of / }).waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await tasks.filter({ hasText: 'Done' }).nth(7).waitFor();
    expect(await tasks.count()).toBe(8);
    const lines = () => page.getByRole('region', { name: 'Events' }).getByRole('listitem').allTextContents();
    await page.getByText(/^Completed with /).waitFor();
    const seen = await lines();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.reload();
    await page.getByText(/^Completed with /).waitFor();
    expect(await lines()).toEqual(seen);
    // By keyboard: the output of the first task.
    await tasks.first().focus();
    await page.keyboard.press('Enter');
    expect(await tasks.first().getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('region', { name: /^Output of Research/ }).waitFor();
    await page.goto('/runs?status=completed');
    await page.getByRole('link', { name: /^Research and analyse/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a run is cancelled and resumed from its checkpoint with other limits', async () => {
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
    await page.getByText('Completed work is kept').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    const status = async () => (await context.request.get('/api/svc-ms/autonomous/launch/status')).json();
    expect((await status()).status).toBe('cancelled');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);

    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    const form = page.getByRole('dialog', { name: 'Resume the run' });
    await form.getByText('Limits and behaviour').click();
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

  test('a tool call is approved on the page, and the timeline adds up to the cost of the run', async () => {
    const { page, context, complaints } = await site.register('wanda', phone);
    const server = startMcp([{ name: 'send', description: 'Sends a letter.' }]);
    await connect(server, 'send');
    const model = planningModel(20);
    model.content = true;
    const upstream = startUpstream(callsFirst(model.script, 'post__send'));
    const prices = { promptPrice: 5_000, completionPrice: 10_000 };
    await site.service.serve({ kind: 'openai', modelId: 'dear/chat', type: 'chat', url: upstream.url, ...prices });
    const tiers = ['plan_model', 'easy_model', 'medium_model', 'hard_model'];
    const data = {
      ...{ use_custom_models: true, enable_embedding: false },
      ...Object.fromEntries(tiers.map((tier) => [tier, 'dear/chat'])),
    };
    expect((await context.request.put('/api/svc-ms/user/preferences', { data })).ok()).toBe(true);
    const { data: self } = await (await context.request.get('/api/user/self')).json();
    const credits = { method: 'POST', body: { quota: 100_000_000 } };
    await site.service.root.api(`/api/admin/users/${self.id}/credits`, credits);

    await page.goto('/runs');
    await page.getByRole('button', { name: 'Start a run' }).first().click();
    const form = page.getByRole('dialog', { name: 'Start a run' });
    await form.getByLabel('Goal').fill(goal);
    await form.getByLabel('Cost limit').fill('50');
    await form.getByRole('combobox', { name: 'Tools', exact: true }).click();
    await page.getByRole('option', { name: 'post__send' }).click();
    await page.keyboard.press('Escape');
    if (await form.isHidden()) throw new Error('closing the list closed the form');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { name: 'Waiting for your approval' }).waitFor();
    await page.getByText('Waiting for approval', { exact: true }).waitFor();
    await page.getByText('"to": "everybody"').first().waitFor();
    await page.getByText('Remaining').waitFor();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    expect(server.calls).toEqual([]);
    const allow = page.getByRole('button', { name: 'Allow post__send' });
    // The label is not cut off.
    expect((await allow.boundingBox())!.width).toBeGreaterThan(120);
    await allow.press('Enter');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(server.calls).toEqual([{ name: 'send', args: { to: 'everybody' } }]);

    const { cost, execution_id } = await (
      await context.request.get(`/api/svc-ms/autonomous/${page.url().split('/').at(-1)}/status`)
    ).json();
    expect(cost).toBeGreaterThan(0);
    await page.reload();
    const sums = page.getByRole('table', { name: 'Cost of each task' });
    await sums.waitFor();
    const costs = await sums.locator('tbody [data-label="Cost"]').allTextContents();
    const whole = dollars(await sums.locator('tfoot [data-label="Cost"]').innerText());
    expect(whole).toBeCloseTo(cost, 2);
    expect(costs.map(dollars).reduce((sum, one) => sum + one, 0)).toBeCloseTo(whole, 1);
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await page.getByRole('link', { name: 'View requests' }).click();
    await page.getByText(`Showing only calls of ${execution_id}`).waitFor();
    await page.getByRole('table').getByText('dear/chat').first().waitFor();
    await page.goto(`/routing/decisions?parent=${execution_id}`);
    await page.getByText(`Showing only calls of ${execution_id}`).waitFor();
    await page.getByRole('table').getByText('dear/chat').first().waitFor();
    upstream.stop();
    server.stop();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a missing run shows an error', async () => {
    const { page } = await site.register('zoe');
    await page.goto('/runs/never');
    await page.getByText('Session not found').waitFor();
    await page.goto('/sessions/never');
    await page.getByText('Session not found').waitFor();
  }, 300_000);
});
