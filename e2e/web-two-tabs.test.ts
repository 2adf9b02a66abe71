/** Two tabs, or two people, edit the same thing: nothing that the other one saved is taken back, nothing typed is lost. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, type Site } from './browser.ts';

let site: Site;

const data = async <T>(answer: { json(): Promise<unknown> }): Promise<T> => ((await answer.json()) as { data: T }).data;

/** The tab is shown again after a while: what it shows is read again. */
async function showAgain(page: Page, path: string, ok = true): Promise<void> {
  await page.clock.fastForward(60_000);
  const read = page.waitForResponse((answer) => answer.url().includes(path) && answer.ok() === ok);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await (await read).finished();
}

describe.skipIf(browserMissing)('the same form in two tabs', () => {
  beforeAll(async () => {
    site = await openSite();
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(() => site?.stop());

  test('an application keeps what the other tab saved, and the form what was typed meanwhile', async () => {
    const { page, open, settled, context } = await site.register('twin');
    await page.clock.install();
    const body = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    const made = await context.request.post('/api/oauth2/applications', { data: body });
    const { id } = await data<{ id: number }>(made);
    const path = `/api/oauth2/applications/${id}`;
    await open(`/applications/${id}`);
    const description = page.getByLabel('Description');
    await description.fill('Typed in this tab');
    await context.request.put(path, { data: { homepage_url: 'https://other.example/' } });
    await showAgain(page, '/api/oauth2/applications');
    await settled();
    expect(await description.inputValue()).toBe('Typed in this tab');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Application saved').waitFor();
    const saved = await data<Record<string, unknown>>(await context.request.get(path));
    expect([saved.description, saved.homepage_url]).toEqual(['Typed in this tab', 'https://other.example/']);
    // Now the form has followed.
    await page.getByLabel('Homepage').and(page.locator('[value="https://other.example/"]')).waitFor();
  }, 300_000);

  test('a new address in the account is not taken back with a new name', async () => {
    const { page, open, settled, context } = await site.register('renamed');
    await page.clock.install();
    await open('/account');
    await page.getByLabel('Display name').fill('Re Named');
    await context.request.put('/api/user/self', { data: { email: 're@example.org' } });
    await showAgain(page, '/api/user/self');
    await settled();
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Profile saved').waitFor();
    const { display_name, email } = await data<Record<string, unknown>>(await context.request.get('/api/user/self'));
    expect([display_name, email]).toEqual(['Re Named', 're@example.org']);
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('re@example.org');
  }, 300_000);

  test.each([
    ['/sessions/shared', 'The session could not be opened', 'Continue in the playground'],
    ['/runs/shared', 'The run could not be opened', 'Session'],
  ])(
    '%s, which another tab has deleted, is not shown as if it were still there',
    async (path, told, shown) => {
      const { page, open, context } = await site.register(`gone${path.length}`);
      await page.clock.install();
      const goal = { message: 'Say hello.', session_id: 'shared', stream_events: false };
      expect((await context.request.post('/api/svc-ms/autonomous/execute', { data: goal })).ok()).toBe(true);
      await open(path);
      await page.getByRole('link', { name: shown, exact: true }).waitFor();
      await context.request.delete('/api/svc-ms/sessions/shared');
      await showAgain(page, path.split('/')[1] === 'runs' ? '/shared/status' : '/sessions/shared', false);
      await page.getByText(told).waitFor();
      await page.getByText('Session not found').waitFor();
    },
    300_000,
  );

  test('a row that another tab has deleted is told, and gone from the list', async () => {
    const { page, open, context } = await site.register('stale');
    const keys: { id: number; name: string }[] = [];
    for (const name of ['edited', 'revoked', 'kept'])
      keys.push(await data(await context.request.post('/api/tokens', { data: { name } })));
    await open('/keys');
    const row = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
    const act = async (name: string, item: string) => {
      await row(name).click();
      await page.getByRole('menuitem', { name: item }).click();
      await context.request.delete(`/api/tokens/${keys.find((key) => key.name === name)!.id}`);
    };
    const dialog = page.getByRole('dialog');
    await act('edited', 'Edit');
    await dialog.getByLabel('Name').fill('typed here');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is no such API key').waitFor();
    await row('edited').waitFor({ state: 'detached' });
    // What was typed can still be copied.
    expect(await dialog.getByLabel('Name').inputValue()).toBe('typed here');
    page.once('dialog', (question) => question.accept());
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await act('revoked', 'Revoke');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.getByText('There is no such API key').waitFor();
    await row('revoked').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row('kept').waitFor();
  }, 300_000);

  test('the price of a model that somebody else has changed stays', async () => {
    const { root } = site.service;
    await site.service.serve({ kind: 'openai', modelId: 'shared/model', url: 'http://127.0.0.1:9/v1', promptPrice: 1 });
    const list = async () => {
      const path = '/api/admin/provider-models?model_id=shared/model';
      const { provider_models } = await root.api<{ provider_models: Record<string, number>[] }>(path);
      return provider_models[0]!;
    };
    const { id } = await list();
    const { page, open } = await site.root();
    await open('/admin/models');
    await page.getByRole('button', { name: 'Actions for shared/model' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Context, tokens').fill('32000');
    await root.api(`/api/admin/provider-models/${id}`, { method: 'PUT', body: { prompt_price: 7 } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Model saved').waitFor();
    const { prompt_price, context_length } = await list();
    expect({ prompt_price, context_length }).toEqual({ prompt_price: 7, context_length: 32_000 });
  }, 300_000);

  test('routing preferences from another tab stay', async () => {
    const { page, open, context } = await site.register('router');
    await open('/routing/preferences');
    await page.getByLabel('Maximum price').fill('3');
    await context.request.put('/api/routing/preferences', { data: { max_latency_ms: 900 } });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Preferences saved').waitFor();
    const saved = await data<Record<string, unknown>>(await context.request.get('/api/routing/preferences'));
    expect([saved.max_price, saved.max_latency_ms]).toEqual([3, 900]);
    expect(await page.getByLabel('Maximum latency').inputValue()).toBe('900 ms');
  }, 300_000);
});
