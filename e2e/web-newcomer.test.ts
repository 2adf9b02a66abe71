/** First steps after installation: how many clicks it takes until something works. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, overflow, passwordOf, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

/** With more clicks, people leave. */
const mostClicks = 6;

/** Counts pointer clicks, across navigation. */
async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const name = 'clicks of the test';
    const count = () => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name)) + 1));
    addEventListener('pointerdown', count, { capture: true });
  });
}
const clicksOf = (page: Page): Promise<number> =>
  page.evaluate(() => Number(sessionStorage.getItem('clicks of the test')));

const simulates = async (): Promise<boolean> =>
  (await site.service.root.api<{ built_in: { active: boolean } }>('/api/admin/channels')).built_in.active;

describe.skipIf(browserMissing)('first steps', () => {
  beforeAll(async () => {
    site = await openSite();
    const chat = says('openai', { text: 'Hello from the new provider.' });
    const listed = ['new-1', 'new-2', 'new-3'].map((id) => ({ id }));
    upstream = startUpstream((asked) =>
      asked.path.endsWith('/models') ? Response.json({ data: listed }) : chat(asked),
    );
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test(`a new operator gets an answer from their own provider in at most ${mostClicks} clicks`, async () => {
    const { page, complaints } = await site.root();
    await countClicks(page);
    await page.goto('/');
    await page.getByRole('link', { name: 'Add another provider by its address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a channel' });
    await dialog.getByLabel(/^Name/).fill('New');
    await dialog.getByRole('textbox', { name: 'Provider' }).fill('new');
    await dialog.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await dialog.getByLabel('Credential', { exact: true }).fill('sk-of-a-newcomer-1234');
    await dialog.getByRole('button', { name: 'Add and test' }).click();
    await dialog.getByText('3 models without a price were found').waitFor();
    // The channel is tested and enabled, but its models cannot be called before they have a price.
    expect(await simulates()).toBe(true);
    expect(await dialog.getByText('No price').count()).toBe(3);
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByLabel('Prompt price of new/new-2, per million tokens').fill('2');
    await dialog.getByLabel('Completion price of new/new-2, per million tokens').fill('8');
    expect(await dialog.getByRole('checkbox', { name: 'new/new-2' }).isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Enable 1 model' }).click();
    await dialog.getByText('1 model is ready to call.').waitFor();
    expect(await simulates()).toBe(false);
    await dialog.getByRole('link', { name: 'Try them in the playground' }).click();
    await page.waitForURL(/\/playground$/);
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('new/new-2');
    await page.getByLabel('Message', { exact: true }).fill('Hello?');
    await page.keyboard.press('Enter');
    await page.getByText('Hello from the new provider.').waitFor();
    expect(await clicksOf(page)).toBeLessThanOrEqual(mostClicks);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('many models are priced at once, by keyboard and on a phone', async () => {
    const { page, complaints } = await site.root({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await page.goto('/admin/channels?open=custom');
    const dialog = page.getByRole('dialog', { name: 'Add a channel' });
    await dialog.getByLabel(/^Name/).fill('Second');
    await dialog.getByRole('textbox', { name: 'Provider' }).fill('second');
    await dialog.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await dialog.getByRole('button', { name: 'Add and test' }).press('Enter');
    await dialog.getByText('3 models without a price were found').waitFor();
    await dialog.getByLabel('Prompt, per million').fill('1');
    await dialog.getByLabel('Completion, per million').fill('4');
    await dialog.getByRole('button', { name: 'Apply to all 3 without a price' }).press('Enter');
    expect(await dialog.getByText('No price').count()).toBe(0);
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    // A free model is pointed out.
    await dialog.getByLabel('Prompt price of second/new-1, per million tokens').fill('0');
    await dialog.getByLabel('Completion price of second/new-1, per million tokens').fill('0');
    await dialog.getByText('1 model has no price').waitFor();
    await dialog.getByRole('checkbox', { name: 'second/new-1' }).press('Space');
    await dialog.getByRole('button', { name: 'Enable 2 models' }).press('Enter');
    await dialog.getByText('2 models are ready to call.').waitFor();
    const { provider_models } = await site.service.root.api<{
      provider_models: { model_id: string; status: number; prompt_price: number }[];
    }>('/api/admin/provider-models?page_size=100');
    const second = provider_models.filter(({ model_id }) => model_id.startsWith('second/'));
    expect(second.map(({ model_id, status, prompt_price }) => [model_id, status, prompt_price])).toEqual([
      ['second/new-1', 2, 0],
      ['second/new-2', 1, 1],
      ['second/new-3', 1, 1],
    ]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a user without credits starts with a free model and finds the way to credits', async () => {
    const served = { kind: 'openai', url: upstream.url } as const;
    const { modelId } = await site.service.serve({ ...served, promptPrice: 1 });
    const free = await site.service.serve({ ...served, modelId: 'zest/free', promptPrice: 0, completionPrice: 0 });
    const { page, open, complaints } = await site.register('penniless');
    await open('/');
    await page.getByText('Your balance is empty').waitFor();
    expect(await page.getByRole('region', { name: 'curl example' }).innerText()).toContain(free.modelId);
    await open('/playground');
    const model = page.getByRole('combobox', { name: 'Model' });
    expect(await model.inputValue()).toBe(free.modelId);
    await model.click();
    await model.fill(modelId);
    await page.getByRole('option', { name: modelId }).click();
    await page.getByLabel('Message', { exact: true }).fill('Hello?');
    await page.keyboard.press('Enter');
    await page.getByText('Your balance does not cover this request.').waitFor();
    await page.getByRole('link', { name: 'Get credits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test(`a new operator sets up an application with sign-in in at most ${mostClicks} clicks`, async () => {
    const arrivals: URL[] = [];
    const receiver = Bun.serve({
      ...{ hostname: '127.0.0.1', port: 0 },
      fetch: (request) => {
        arrivals.push(new URL(request.url));
        return new Response('<!doctype html><title>Arrived</title>', { headers: { 'content-type': 'text/html' } });
      },
    });
    try {
      await site.register('nora');
      const redirectUri = `http://127.0.0.1:${receiver.port}/callback`;
      const { page } = await site.root();
      await countClicks(page);
      await page.goto('/');
      const navigation = page.getByRole('navigation', { name: 'Main' });
      await navigation.getByRole('link', { name: 'Applications', exact: true }).first().click();
      await page.getByRole('link', { name: 'New application' }).first().click();
      await page.getByLabel('Name', { exact: false }).first().fill('Board');
      await page.getByLabel('Redirect address 1').fill(redirectUri);
      await page.getByRole('button', { name: 'Register application' }).click();
      const shown = page.getByRole('dialog', { name: 'Your client secret' });
      const secret = await shown.getByLabel('Client secret', { exact: true }).inputValue();
      await shown.getByRole('button', { name: 'I have saved it' }).click();
      const clientId = await page.getByLabel('Client ID', { exact: true }).inputValue();

      const visitor = await site.visit();
      await countClicks(visitor.page);
      const verifier = 'v'.repeat(50);
      const asked = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'openid', state: 's' },
        code_challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      await visitor.page.goto(`/oauth2/authorize?${asked}`);
      await visitor.page.getByLabel('Username').fill('nora');
      await visitor.page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('nora'));
      await visitor.page.keyboard.press('Enter');
      await visitor.page.getByRole('heading', { name: 'Authorize Board' }).waitFor();
      const before = (await clicksOf(page)) + (await clicksOf(visitor.page));
      await visitor.page.getByRole('button', { name: 'Allow' }).click();
      await visitor.page.waitForURL((url) => url.pathname === '/callback');
      expect(before + 1).toBeLessThanOrEqual(mostClicks);
      const token = await fetch(`${site.service.url}/api/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: new URLSearchParams({
          ...{ grant_type: 'authorization_code', code: arrivals.at(-1)!.searchParams.get('code')! },
          ...{ redirect_uri: redirectUri, code_verifier: verifier },
        }),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}` };
      const me = await fetch(`${site.service.url}/api/oauth2/userinfo`, { headers });
      expect(await me.json()).toMatchObject({ username: 'nora' });
    } finally {
      await receiver.stop(true);
    }
  }, 300_000);
});
