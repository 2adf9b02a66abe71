/** Routing pages: health, decisions, user preferences, model configuration. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, type Site } from './browser.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

describe.skipIf(browserMissing)('routing', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(() => refuse(500, { error: { message: 'down' } }));
    await site.service.serve({ kind: 'openai', modelId: 'scripted/scripted-1', url: `${upstream.url}/v1` });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('a decision explains itself and can be linked to; health lists an open circuit first', async () => {
    const { page, complaints } = await site.root();
    for (let index = 0; index < 8; index += 1) {
      const data = { model: 'scripted/scripted-1', messages: [{ role: 'user', content: 'hi' }] };
      await page.context().request.post('/v1/chat/completions', { data, headers: { 'x-svc-web': '1' } });
    }
    await page.goto('/routing/health');
    const firstRow = page.getByRole('row').nth(1);
    await firstRow.getByText('Circuit open').waitFor();
    expect(await firstRow.innerText()).toContain('scripted/scripted-1');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.goto('/routing/decisions?model=scripted/scripted-1');
    await page.getByText('Failed').first().waitFor();
    await page
      .getByRole('button', { name: /^Details of/ })
      .last()
      .click();
    await page.getByText('Candidate providers').waitFor();
    const address = page.url();
    expect(address).toMatch(/open=req_/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(address);
    await page.getByText('Attempts', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('routing preferences are saved', async () => {
    const { page, complaints } = await site.register('pat');
    await page.goto('/routing/preferences');
    await page.getByRole('radio', { name: 'Cost' }).check();
    await page.getByLabel('Minimum success rate').fill('95');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Preferences saved').waitFor();
    await page.reload();
    await page.getByRole('radio', { name: 'Cost' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Cost' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Minimum success rate').inputValue()).toBe('95 %');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the routing of a model is configured, explained and reset', async () => {
    const { page, complaints } = await site.root();
    await page.goto('/admin/routing');
    await page.getByText('Every model uses the defaults').waitFor();
    await page.getByRole('combobox', { name: 'Configure a model' }).click();
    await page.getByRole('option', { name: 'scripted/scripted-1' }).click();
    const form = page.getByRole('dialog', { name: 'Routing of scripted/scripted-1' });
    await form.getByLabel('Price').fill('0');
    await form.getByText('the cost score 0 %').waitFor();
    await form.getByText('Ranking with current data').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for scripted/scripted-1' }).click();
    await page.getByRole('menuitem', { name: 'Reset to default' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to default' }).click();
    await page.getByText('Every model uses the defaults').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
