/** The model catalog, model pickers, and navigation: the palette, collapsed groups, titles. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { pages } from '../web/src/routes.tsx';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { until } from './service.ts';

let site: Site;

const long = `acme/${'long-'.repeat(38)}`;
const odd = 'نماذج/مثال:1?#%2f+ü';
const prices = {
  ...{ prompt: 2.5, completion: 10, cache_read: 0.25, image_in: 3 },
  tiers: [{ above_context: 200_000, prompt: 5, completion: 15 }],
};

/** An unused channel with models of every kind of name and price. */
async function addModels({ root }: Site['service']): Promise<void> {
  const channel = { name: 'Acme works', provider: 'acme', kind: 'openai', base_url: 'http://127.0.0.1:9/v1' };
  const made = await root.api<{ id: number }>('/api/admin/channels', {
    method: 'POST',
    body: { ...channel, credential: 'x', timeout_ms: 1_000 },
  });
  const models = [
    { model_id: 'acme/fine-4.1', prices, context_length: 1_050_000, max_output_tokens: 64_000 },
    { model_id: long, prompt_price: 0.000001, completion_price: 999_999 },
    { model_id: odd, prompt_price: 1, completion_price: 2, capabilities: { tools: false, json_schema: false } },
    { model_id: 'acme/draw', type: 'image', request_price: 0.04 },
  ];
  for (const model of models)
    await root.api('/api/admin/provider-models', {
      method: 'POST',
      body: { ...model, channel_id: made.id, status: 1 },
    });
}

const focusOn = (page: Page, name: string) =>
  until(`${name} has the focus`, () =>
    page.evaluate((wanted) => {
      const { activeElement } = document;
      return (activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '').includes(wanted);
    }, name),
  );

const titled = (page: Page, title: string) =>
  until(`the title is ${title}`, async () => (await page.title()) === title);

describe.skipIf(browserMissing)('models and navigation', () => {
  beforeAll(async () => {
    site = await openSite({ DEMO_PROVIDER: 'on' });
    await addModels(site.service);
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    await site?.stop();
  });

  test('a user finds a model by capability, price and context, sees its details and tries it', async () => {
    const { page, open, settled, complaints } = await site.register('mona');
    await open('/models');
    const table = page.getByRole('region', { name: 'Models' });
    const ids = () => table.locator('tbody a[href^="/models/"]').allTextContents();
    expect(await ids()).toContain(odd);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });

    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'Longest context first' }).click();
    await page.waitForURL(/sort=context/);
    await until('the longest stands first', async () => (await ids())[0] === 'acme/fine-4.1');
    await page.getByRole('combobox', { name: 'Capability' }).click();
    await page.getByRole('option', { name: 'Vision' }).click();
    await page.waitForURL(/capability=vision/);
    await until('one is left', async () => (await ids()).join() === 'acme/fine-4.1');
    await page.getByRole('textbox', { name: 'Search models' }).fill('nobody has this');
    await page.getByText('No models match these filters').waitFor();
    await page.getByRole('textbox', { name: 'Search models' }).fill('fine');
    await page.waitForURL(/q=fine/);
    await table.getByRole('row').getByText('$2.50 in · $10.00 out · higher above 200K').waitFor();

    await table.getByRole('link', { name: 'acme/fine-4.1', exact: true }).click();
    await page.waitForURL(/\/models\/acme\/fine-4\.1$/);
    await titled(page, 'acme/fine-4.1 · Model · svc');
    const row = page.getByRole('region', { name: 'Prices' }).getByRole('row').filter({ hasText: 'Read from cache' });
    expect((await row.innerText()).split(/\s{2,}|\t/)).toEqual(['Read from cache', '$0.25', 'same as prompt']);
    await page.getByText('1,050,000 tokens').waitFor();
    await page.getByRole('tab', { name: 'Anthropic' }).click();
    expect(await page.getByRole('region', { name: 'Anthropic example' }).innerText()).toContain('"acme/fine-4.1"');
    await settled();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Try acme/fine-4.1' }).click();
    // The address requests a new chat with the model, and then becomes that of the chat.
    await page.waitForURL(/\/playground$/);
    const asked = page.getByRole('combobox', { name: 'Model' });
    await until('it is chosen', async () => (await asked.inputValue()) === 'acme/fine-4.1');

    // Every model can be opened by its address, whatever its name.
    for (const id of [odd, long]) {
      await page.goBack();
      await page.goto('/models');
      await table.getByRole('link', { name: id, exact: true }).click();
      await titled(page, `${id} · Model · svc`);
      await page.setViewportSize({ width: 390, height: 844 });
      await open(new URL(page.url()).pathname);
      await titled(page, `${id} · Model · svc`);
      expect([id, await overflow(page), await accessibilityFaults(page)]).toEqual([id, 0, []]);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await open('/models/nobody/knows');
    await page.getByText('The model could not be shown').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('every model picker shows price, context, capabilities and health', async () => {
    const { page, complaints } = await site.root();
    const facts = '$2.50 in · $10.00 out · higher above 200K';
    const pickers: [path: string, name: string][] = [
      ['/playground', 'Model'],
      ['/orchestration/preferences', 'Planning'],
      ['/routing/health', 'Model'],
      ['/admin/routing', 'Configure a model'],
    ];
    for (const [path, name] of pickers) {
      await page.goto(path);
      const picker = page.getByRole('combobox', { name, exact: true });
      await picker.click();
      await picker.fill('fine acme');
      const option = page.getByRole('option').filter({ hasText: 'acme/fine-4.1' });
      await option.getByText(facts).waitFor();
      await option.getByText('1.1M context').waitFor();
      await option.getByRole('img', { name: 'Vision' }).waitFor();
      await option.getByText('Not measured').waitFor({ state: 'attached' });
      expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
      await page.keyboard.press('Escape');
    }
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const models = page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Models');
    await models.fill('fine-4');
    await page.getByRole('option').filter({ hasText: facts }).click();
    await models.fill('not/there-yet');
    await models.press('Enter');
    for (const chosen of ['acme/fine-4.1', 'not/there-yet']) await page.getByText(chosen, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the palette opens any page by keyboard, loads data only when opened and restores the focus', async () => {
    const { root } = site.service;
    await site.register('petra');
    const application = { name: 'Pinboard', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    const { id } = await root.api<{ id: number }>('/api/oauth2/applications', { method: 'POST', body: application });
    await root.api('/api/tokens', { method: 'POST', body: { name: 'Pipeline' } });
    const { page, open, complaints } = await site.root();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open('/usage');
    expect(asked).not.toContain('/api/oauth2/applications');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    const search = palette.getByRole('combobox');
    const chosen = palette.getByRole('option', { selected: true });

    // Opens from a field and returns the focus to it.
    await page.getByRole('combobox', { name: 'Key' }).focus();
    await page.keyboard.press('Control+k');
    await focusOn(page, 'Search pages');
    await until('it asks for what it lists', async () => asked.includes('/api/oauth2/applications'));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await focusOn(page, 'Key');
    const button = page.getByRole('button', { name: /^Search/ });
    await button.press('Enter');
    await focusOn(page, 'Search pages');
    await page.goBack();
    await palette.waitFor({ state: 'detached' });
    await focusOn(page, 'Search');

    const go = async (query: string, found: string, address: RegExp) => {
      await page.keyboard.press('Control+k');
      await search.fill(query);
      await palette.getByRole('option').filter({ hasText: found }).first().waitFor();
      await until(`${found} is chosen`, async () => {
        if ((await chosen.textContent())?.startsWith(found)) return true;
        await page.keyboard.press('ArrowDown');
        return false;
      });
      const option = await chosen.getAttribute('id');
      expect(await search.getAttribute('aria-activedescendant')).toBe(option);
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
      await palette.waitFor({ state: 'detached' });
    };
    await go('pinb', 'Pinboard', new RegExp(`/applications/${id}$`));
    await titled(page, 'Pinboard · Application · svc');
    await focusOn(page, 'Pinboard');
    await go('fine 4.1', 'acme/fine-4.1', /\/models\/acme\/fine-4\.1$/);
    await go('petra', 'petra', /\/admin\/users\/\d+$/);
    await go('pipel', 'Pipeline', /\/keys\?open=\d+$/);
    await page.getByRole('dialog', { name: 'Edit Pipeline' }).waitFor();
    // The palette does not open over a form that may have input.
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL(/\/keys$/);
    await go('acme works', 'Acme works', /\/admin\/channels\?open=\d+$/);
    await page.getByRole('dialog', { name: 'Edit Acme works' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go('admin options', 'Options', /\/admin\/options$/);
    await page.keyboard.press('Control+k');
    await search.fill('nothing is called that way');
    await palette.getByText('No matching results.').waitFor();
    await page.keyboard.press('Enter');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await search.fill('a');
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    expect(complaints).toEqual([]);

    const { page: own, open: openOwn } = await site.register('otto');
    await openOwn('/');
    await own.keyboard.press('Control+k');
    const offered = own.getByRole('dialog', { name: 'Go to' }).getByRole('option');
    await offered.filter({ hasText: 'Playground' }).waitFor();
    expect((await offered.allTextContents()).filter((text) => /Admin|Users|Channels/.test(text))).toEqual([]);
    await own.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('petra');
    await own.getByText('No matching results.').waitFor();
  }, 300_000);

  test('navigation groups stay collapsed except for the open page; detail pages are titled by name', async () => {
    // Root has enough balance for a run.
    const { page, open, context, complaints } = await site.root();
    const put = async (path: string, data: object) => {
      const answer = await context.request.post(path, { data });
      if (!answer.ok()) throw new Error(await answer.text());
      return ((await answer.json()) as { data: Record<string, unknown> }).data;
    };
    await open('/knowledge');
    const group = page.getByRole('button', { name: 'Orchestration', exact: true });
    const links = page.getByRole('list', { name: 'Orchestration' }).getByRole('link');
    expect(await links.count()).toBeGreaterThan(3);
    await group.press('Enter');
    expect(await links.allTextContents()).toEqual(['Knowledge']);
    expect(await group.getAttribute('aria-expanded')).toBe('false');
    await open('/');
    expect(await links.count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await group.click();
    expect(await links.count()).toBeGreaterThan(3);

    const application = await put('/api/oauth2/applications', {
      ...{ name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' },
    });
    await put('/api/svc-ms/sessions', { session_id: 'my-session' });
    await put('/api/svc-ms/autonomous/execute', {
      session_id: 'tea',
      message: 'Compare tea\nand coffee',
      config: { max_iterations: 1 },
    });
    const organisation = await put('/api/organisations', { name: 'Acme', time_zone: 'UTC', balance: 'own' });
    const about: Record<string, [path: string, title: string]> = {
      '/applications/$id': [`/applications/${application.id}`, 'Board · Application · svc'],
      '/sessions/$id': ['/sessions/my-session', 'my-session · Session · svc'],
      '/runs/$id': ['/runs/tea', 'Compare tea · Run · svc'],
      '/models/$': ['/models/demo/chat', 'Simulated chat (built-in) · Model · svc'],
      '/organisations/$id': [`/organisations/${organisation.id}`, 'Acme · Organisation · svc'],
      '/requests/$id': ['/requests/req_unknown', 'req_unknown · Request · svc'],
      '/admin/users/$id': ['/admin/users/1', 'root · User · svc'],
    };
    const withParameters = pages.map(({ path }) => path).filter((path) => /\/.*\$/.test(path) && path !== '/$');
    expect(withParameters.filter((path) => !(path in about))).toEqual([]);
    for (const path of withParameters) {
      const [address, title] = about[path]!;
      await page.goto(address);
      await titled(page, title);
      // The title does not stay after leaving the page.
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click();
      await titled(page, 'Keys · svc');
    }
    expect(complaints).toEqual([]);
  }, 300_000);
});
