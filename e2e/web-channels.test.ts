/** Channels and their models: added manually and by preset, tested, moved and removed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const answers = (page: Page) => page.getByRole('article', { name: /^Answer from/ });

const wordy = '## Streams\n\nA **stream** hands data over.\n\n```ts\nconst a = 1;\n```\n\n<img src=x onerror=alert(1)>';

/** Marks a request to the relay as coming from the web app. */
const web = { headers: { 'x-svc-web': '1' } };

/** The statuses of the channels with this name; 1 means enabled. */
async function stateOf(name: string): Promise<number[]> {
  const { channels } = await site.service.root.api<{ channels: { name: string; status: number }[] }>(
    '/api/admin/channels?page_size=100',
  );
  return channels.filter((channel) => channel.name === name).map(({ status }) => status);
}

/** Answers the model list as well as chat. */
const withList = (script: Upstream['script']): Upstream['script'] => {
  return (asked) => (asked.path.endsWith('/models') ? Response.json({ data: [{ id: 'scripted-1' }] }) : script(asked));
};

describe.skipIf(browserMissing)('channels', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(withList(says('openai', { text: wordy, thinking: 'Let me think.' })));
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('an administrator adds a channel and chats through it', async () => {
    const { page, complaints } = await site.root();
    await page.goto('/admin/channels');
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByRole('tab', { name: 'Custom' }).click();
    const add = form.getByRole('button', { name: 'Add and test' });
    await add.click();
    await form.getByText('Enter a name.').waitFor();
    await form.getByLabel(/^Name/).fill('Scripted');
    await form.getByRole('textbox', { name: 'Provider' }).fill('scripted');
    await form.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await form.getByLabel('Credential', { exact: true }).fill('sk-upstream-credential-9876');
    expect(await accessibilityFaults(page)).toEqual([]);
    await add.click();
    await form.getByText('1 model without a price was found').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Key ••••9876').waitFor();
    expect(await page.content()).not.toContain('sk-upstream-credential');
    // No model of it can be called yet.
    await page.getByText('The built-in simulation is answering').waitFor();

    await page.getByRole('button', { name: 'Test Scripted' }).click();
    await page.getByRole('status').filter({ hasText: / ms$/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Scripted' }).click();
    await page.getByRole('menuitem', { name: 'Sync models' }).click();
    await page.getByText('Scripted: 0 models added').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.goto('/admin/models');
    const free = page.getByRole('dialog', { name: 'Enable scripted/scripted-1 without a price?' });
    await page.getByRole('switch', { name: 'scripted/scripted-1 enabled' }).press('Space');
    await free.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await free.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('switch', { name: 'scripted/scripted-1 enabled', checked: false }).waitFor();
    await page.getByRole('button', { name: 'Actions for scripted/scripted-1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const model = page.getByRole('dialog', { name: 'Edit scripted/scripted-1' });
    await model.getByLabel('Prompt, per million tokens').fill('10');
    await model.getByLabel('Completion, per million tokens').fill('20');
    await model.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$20.00').waitFor();
    const enabled = page.getByRole('switch', { name: 'scripted/scripted-1 enabled' });
    await enabled.press('Space');
    await page.getByRole('switch', { name: 'scripted/scripted-1 enabled', checked: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Actions for scripted/scripted-1' }).click();
    await page.getByRole('menuitem', { name: 'Try it' }).click();
    await page.waitForURL(/\/playground$/);
    await page.getByLabel('Message', { exact: true }).fill('Explain streams');
    await page.keyboard.press('Enter');
    await answers(page).getByRole('heading', { name: 'Streams' }).waitFor();
    await page.locator('[data-fact=cost]').waitFor();
    // 11 tokens at $10 and 7 at $20 a million: $0.00025.
    expect(await page.locator('[data-fact=cost]').innerText()).toBe('$0.00025');
    expect(await page.locator('[data-fact=model]').innerText()).toBe('scripted/scripted-1 by scripted');
    expect(await answers(page).locator('img').count()).toBe(0);
    await page.getByText('Reasoning').click();
    await page.getByText('Let me think.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a known provider is added in one step; a failing one shows the error and can be removed', async () => {
    const { page, complaints } = await site.root();
    upstream.script = withList(says('openai', { text: 'pong' }));
    await page.goto('/admin/channels');
    await page.getByRole('button', { name: 'Add channel' }).click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByRole('combobox', { name: 'Provider' }).selectOption('Ollama');
    await form.getByLabel('Address').fill(`${upstream.url}/v1`);
    await form.getByRole('button', { name: 'Add and test' }).click();
    await form.getByText('Ollama works').waitFor();
    expect(await form.getByRole('status').innerText()).toMatch(/\d+ models? (is|are) ready to call/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Actions for Ollama' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
    await page.getByText('Channel deleted').waitFor();

    upstream.script = () => refuse(401, { error: { message: 'Incorrect API key provided' } });
    await page.getByRole('button', { name: 'Add channel' }).click();
    await form.getByRole('combobox', { name: 'Provider' }).selectOption('Ollama');
    await form.getByLabel('Address').fill(`${upstream.url}/v1`);
    await form.getByRole('button', { name: 'Add and test' }).click();
    await form.getByText('401: Incorrect API key provided').waitFor();
    expect(await stateOf('Ollama')).toEqual([2]);
    // Trying again updates the same channel.
    await form.getByRole('button', { name: 'Add and test' }).click();
    await form.getByText('401: Incorrect API key provided').waitFor();
    expect(await stateOf('Ollama')).toEqual([2]);
    await form.getByRole('button', { name: 'Remove it' }).click();
    await form.getByRole('alert').waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Ollama/ }).waitFor({ state: 'detached' });
    upstream.script = withList(says('openai', { text: wordy }));
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a custom channel with a wrong key stays disabled and can be fixed in place', async () => {
    const { page, complaints } = await site.root();
    upstream.script = () => refuse(401, { error: { message: 'Incorrect API key provided' } });
    await page.goto('/admin/channels');
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByRole('tab', { name: 'Custom' }).click();
    await form.getByLabel(/^Name/).fill('Wrong');
    await form.getByRole('textbox', { name: 'Provider' }).fill('wrong');
    await form.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await form.getByLabel('Credential', { exact: true }).fill('sk-wrong');
    const add = form.getByRole('button', { name: 'Add and test' });
    await add.evaluate((element) => {
      (element as HTMLButtonElement).click();
      (element as HTMLButtonElement).click();
    });
    await form.getByText('401: Incorrect API key provided').waitFor();
    expect(await stateOf('Wrong')).toEqual([2]);
    const listed = (await (await page.context().request.get('/v1/models', web)).json()) as { data: { id: string }[] };
    expect(listed.data.length).toBeGreaterThan(0);
    expect(await accessibilityFaults(page)).toEqual([]);

    upstream.script = withList(says('openai', { text: 'pong' }));
    await form.getByLabel('Credential', { exact: true }).fill('sk-right');
    await add.click();
    await form.getByText('Wrong works').waitFor();
    expect(await stateOf('Wrong')).toEqual([1]);
    await form.getByRole('button', { name: 'Done' }).click();

    const menu = page.getByRole('button', { name: 'Actions for Wrong' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Wrong is disabled').waitFor();
    upstream.script = () => refuse(401, { error: { message: 'Incorrect API key provided' } });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    const anyway = page.getByRole('dialog', { name: 'Enable Wrong anyway?' });
    await anyway.getByText('401: Incorrect API key provided').waitFor();
    await anyway.getByRole('button', { name: 'Cancel' }).click();
    expect(await stateOf('Wrong')).toEqual([2]);
    upstream.script = withList(says('openai', { text: wordy }));
    await menu.click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await page.getByText('Wrong is enabled').waitFor();
    expect(await stateOf('Wrong')).toEqual([1]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a channel with a new address requires its credential again', async () => {
    const channel = { name: 'Moving', kind: 'openai', base_url: 'https://one.example/v1' };
    const body = { ...channel, credential: 'sk-of-the-first-place-1234' };
    await site.service.root.api('/api/admin/channels', { method: 'POST', body });
    const { page, complaints } = await site.root();
    await page.goto('/admin/channels');
    await page.getByRole('button', { name: 'Actions for Moving' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Moving' });
    const credential = form.getByLabel(/^Credential/);
    await form.getByText('Stored: ••••1234').waitFor();
    await form.getByLabel('Base URL').fill('https://one.example/v2');
    expect(await credential.getAttribute('placeholder')).toBe('Leave empty to keep it');
    await form.getByLabel('Base URL').fill('https://two.example/v1');
    await form.getByText('the stored one is not sent to a new address, kind or provider').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the credential again for the new address, kind or provider.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await credential.fill('sk-of-the-second-place-5678');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Key ••••5678').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
