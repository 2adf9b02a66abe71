/** Home, playground, routing, channels, models, system page and API reference, as people use them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, rootPassword, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const wordy = '## Streams\n\nA **stream** hands data over.\n\n```ts\nconst a = 1;\n```\n\n<img src=x onerror=alert(1)>';
const message = (page: Page) => page.getByLabel('Message', { exact: true });
const answers = (page: Page) => page.getByRole('article', { name: /^Answer of/ });

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await message(page).press('Enter');
}

/** Nothing may make the page wider than the screen. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const admin = () => site.signIn('root', rootPassword);

/** Answers the model list as well as chat. */
const withList = (script: Upstream['script']): Upstream['script'] => {
  return (asked) => (asked.path.endsWith('/models') ? Response.json({ data: [{ id: 'scripted-1' }] }) : script(asked));
};

describe.skipIf(browserMissing)('pages', () => {
  beforeAll(async () => {
    upstream = startUpstream(withList(says('openai', { text: wordy, thinking: 'Let me think.' })));
    site = await openSite();
  }, 60_000);
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('a newcomer goes from the first login to a streamed answer', async () => {
    const { page, complaints } = await site.visit();
    await page.goto('/');
    await page.getByLabel('Username').fill('root');
    await page.locator('input[type=password]').fill(rootPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The built-in simulation is answering').waitFor();
    await page.getByLabel('Provider key', { exact: true }).fill('sk-ant-not-a-real-key');
    expect(await page.getByRole('combobox', { name: 'Provider' }).inputValue()).toBe('Anthropic');

    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByRole('textbox', { name: 'Your API key' }).inputValue();
    expect(key).toMatch(/^sk-\w{48}$/);
    for (const name of ['curl', 'Python', 'TypeScript', 'Anthropic']) {
      await page.getByRole('tab', { name }).click();
      const code = await page.getByRole('region', { name: `${name} example` }).innerText();
      expect(code).toContain(key);
      expect(code).toContain(site.baseUrl);
    }
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Open the playground' }).click();
    await page.getByText('This model is a simulation').waitFor();
    await say(page, 'Tell me about rivers');
    await answers(page).getByText('Simulation:').waitFor();
    await page.locator('[data-fact=cost]').waitFor();
    expect(await page.locator('[data-fact=cost]').innerText()).toBe('free');
    expect(await page.locator('[data-fact=model]').innerText()).toContain('by demo');
    expect(await page.locator('[data-fact=tokens]').innerText()).toMatch(/^\d+ → \d+ tokens$/);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await answers(page).getByText('Simulation:').waitFor();
    await page.getByRole('button', { name: 'Clear the conversation' }).click();
    await page.getByText('Say something').waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test('the orchestration model shows its plan and keeps its session', async () => {
    const { page, complaints } = await site.register('orla');
    await page.goto('/playground?model=svc/svc-ms');
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page
      .getByRole('textbox', { name: 'Memory' })
      .or(page.getByRole('combobox', { name: 'Memory' }))
      .click();
    await page.getByRole('option', { name: /^Full/ }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await say(page, 'What is a river?');
    await page.locator('[data-fact=latency]').waitFor();
    await page.getByText(/^Plan · 1 of 1 task done/).click();
    const plan = await page.locator('dl').innerText();
    expect(plan).toContain('full');
    const session = /ms-\S+/.exec(plan)?.[0];
    expect(session).toBeString();
    await say(page, 'And a lake?');
    await page.locator('[data-fact=latency]').nth(1).waitFor();
    await page
      .getByText(/^Plan ·/)
      .last()
      .click();
    expect(await page.locator('dl').last().innerText()).toContain(session!);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('an administrator adds a channel, and chats through it', async () => {
    const { page, complaints } = await admin();
    await page.goto('/admin/channels');
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByRole('tab', { name: 'Custom' }).click();
    await form.getByRole('button', { name: 'Add channel' }).click();
    await form.getByText('Give it a name.').waitFor();
    await form.getByLabel(/^Name/).fill('Scripted');
    await form.getByRole('textbox', { name: 'Provider' }).fill('scripted');
    await form.getByLabel('Base URL').fill(`${upstream.url}/v1`);
    await form.getByLabel('Credential', { exact: true }).fill('sk-upstream-credential-9876');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add channel' }).click();
    await page.getByText('Key ••••9876').waitFor();
    expect(await page.content()).not.toContain('sk-upstream-credential');

    await page.getByRole('button', { name: 'Test Scripted' }).click();
    await page.getByRole('status').filter({ hasText: / ms$/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Scripted' }).click();
    await page.getByRole('menuitem', { name: 'Sync models' }).click();
    await page.getByText('Scripted: 1 model added').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.goto('/admin/models');
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
    await page.waitForURL(/model=scripted/);
    await say(page, 'Explain streams');
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
  }, 60_000);

  test('a known provider is added in one step; one that fails says why, and is removed', async () => {
    const { page, complaints } = await admin();
    upstream.script = withList(says('openai', { text: 'pong' }));
    await page.goto('/admin/channels');
    await page.getByRole('button', { name: 'Add channel' }).click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByRole('combobox', { name: 'Provider' }).fill('Olla');
    await page.getByRole('option', { name: 'Ollama' }).click();
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
    await form.getByRole('combobox', { name: 'Provider' }).fill('Olla');
    await page.getByRole('option', { name: 'Ollama' }).click();
    await form.getByLabel('Address').fill(`${upstream.url}/v1`);
    await form.getByRole('button', { name: 'Add and test' }).click();
    await form.getByText('401: Incorrect API key provided').waitFor();
    await form.getByRole('button', { name: 'Remove it' }).click();
    await form.getByRole('alert').waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Ollama/ }).waitFor({ state: 'detached' });
    upstream.script = withList(says('openai', { text: wordy }));
    expect(complaints).toEqual([]);
  }, 60_000);

  test('an answer is stopped with Esc, asked again, and edited', async () => {
    const { page, complaints } = await admin();
    const long = Array.from({ length: 500 }, (_, index) => `w${index}`).join('\n\n');
    upstream.script = says('openai', { text: long }, { everyMs: 20 });
    await page.goto('/playground?model=scripted/scripted-1');
    await say(page, 'Go on');
    await answers(page).getByText('w40', { exact: true }).waitFor();
    const region = page.getByRole('region', { name: 'Conversation' });
    const fromEnd = () =>
      region.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    await until('the end is followed', async () => (await fromEnd()) < 50);
    await region.hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    const place = await region.evaluate(({ scrollTop }) => scrollTop);
    await answers(page).getByText('w60', { exact: true }).waitFor();
    expect(await region.evaluate(({ scrollTop }) => scrollTop)).toBe(place);
    await page.getByRole('button', { name: 'To the end' }).click();
    await until('the end is followed again', async () => (await fromEnd()) < 50);
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('[data-fact=stopped]').waitFor();
    await until('the upstream sees the stop', () => upstream.last().aborted);

    upstream.script = says('openai', { text: 'Second answer.' });
    await page.getByRole('button', { name: 'Ask again' }).click();
    await answers(page).getByText('Second answer.').waitFor();
    expect(await answers(page).count()).toBe(1);

    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.getByLabel('Edit your message').fill('Go elsewhere');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.locator('[data-fact=latency]').waitFor();
    expect(upstream.last().body.messages).toEqual([{ role: 'user', content: 'Go elsewhere' }]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a tool call is shown, answered by hand, and gone on with', async () => {
    const { page, complaints } = await admin();
    const calls = [{ id: 'call_1', name: 'get_weather', args: { city: 'Paris' } }];
    upstream.script = says('openai', { calls });
    await page.goto('/playground?model=scripted/scripted-1');
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page.getByLabel('Tools').fill('[{');
    await page.getByText('This is not JSON').first().waitFor();
    await page.getByRole('button', { name: 'Insert an example' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await say(page, 'Weather in Paris?');
    await page.getByLabel('Result of get_weather').fill('{"sky":"clear"}');
    upstream.script = says('openai', { text: 'The sky is clear.' });
    await page.getByRole('button', { name: 'Send result' }).click();
    await answers(page).getByText('The sky is clear.').waitFor();
    const { messages } = upstream.last().body as { messages: { role: string; content: string }[] };
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: '{"sky":"clear"}' });
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a refused request is shown in the service’s words, with its id', async () => {
    const { page } = await admin();
    upstream.script = () => refuse(400, { error: { message: 'temperature is odd' } });
    await page.goto('/playground?model=scripted/scripted-1');
    await say(page, 'Hello');
    const alert = page.getByRole('alert');
    await alert.getByText('temperature is odd').waitFor();
    expect(await alert.innerText()).toMatch(/Request req_\w+/);
    upstream.script = says('openai', { text: 'fine' });
  }, 60_000);

  test('a decision says why, also by its address; health shows an open circuit first', async () => {
    const { page, complaints } = await admin();
    upstream.script = () => refuse(500, { error: { message: 'down' } });
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
    await page.getByText('Who could have answered').waitFor();
    const address = page.url();
    expect(address).toMatch(/open=req_/);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(address);
    await page.getByText('What was tried').waitFor();
    upstream.script = says('openai', { text: 'fine' });
    expect(complaints).toEqual([]);
  }, 60_000);

  test('routing preferences are kept', async () => {
    const { page, complaints } = await site.register('pat');
    await page.goto('/routing/preferences');
    await page.getByRole('radio', { name: 'Cost' }).check();
    await page.getByLabel('Lowest success rate').fill('95');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Preferences saved').waitFor();
    await page.reload();
    await page.getByRole('radio', { name: 'Cost' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Cost' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Lowest success rate').inputValue()).toBe('95 %');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a model’s routing is configured, explained, and reset', async () => {
    const { page, complaints } = await admin();
    await page.goto('/admin/routing');
    await page.getByText('Every model uses the defaults').waitFor();
    await page.getByRole('combobox', { name: 'Configure a model' }).click();
    await page.getByRole('option', { name: 'scripted/scripted-1' }).click();
    const form = page.getByRole('dialog', { name: 'Routing of scripted/scripted-1' });
    await form.getByLabel('Price').fill('0');
    await form.getByText('the cost score 0 %').waitFor();
    await form.getByText('How they would rank now').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for scripted/scripted-1' }).click();
    await page.getByRole('menuitem', { name: 'Back to default' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back to default' }).click();
    await page.getByText('Every model uses the defaults').waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test('the reference needs no login, is searched, and has addresses', async () => {
    const { page, complaints } = await site.visit();
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'API reference' }).waitFor();
    await page.getByLabel('Search endpoints').fill('post chat');
    await page.waitForURL(/q=post/);
    const chat = page.getByRole('article', { name: 'POST /v1/chat/completions' });
    await chat.getByRole('button', { name: /chat\/completions/ }).click();
    expect(await chat.getByRole('region', { name: 'curl example' }).innerText()).toContain('Bearer $SVC_API_KEY');
    expect(page.url()).toContain('#post-/v1/chat/completions');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto('/docs#put-/api/tokens/{id}');
    await page.reload();
    const named = page.getByRole('article', { name: 'PUT /api/tokens/{id}' });
    await named.getByText('Body').waitFor();
    await until('it is in view', () =>
      named.evaluate((element) => Math.abs(element.getBoundingClientRect().top) < 200),
    );
    expect(complaints).toEqual([]);
  }, 60_000);

  test('administration is for administrators', async () => {
    const { page } = await site.register('una');
    for (const path of ['/admin/channels', '/admin/models', '/admin/routing', '/admin/system']) {
      await page.goto(path);
      await page.getByText('This page does not exist').waitFor();
    }
    await page.goto('/');
    await page.getByText('Call it from your code').waitFor();
    expect(await page.getByText('Add a provider').count()).toBe(0);
  }, 60_000);

  const paths = [
    '/',
    '/playground',
    '/routing/health',
    '/routing/decisions',
    '/routing/preferences',
    '/admin/channels',
    '/admin/models',
    '/admin/routing',
    '/admin/system',
    '/docs',
  ];
  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'every page is sound in %s at %d',
    async (colorScheme, width) => {
      const { page, complaints } = await site.signIn('root', rootPassword, {
        colorScheme,
        viewport: { width, height: 844 },
      });
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle');
        expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
        expect([path, await overflow(page)]).toEqual([path, 0]);
      }
      expect(complaints).toEqual([]);
    },
    90_000,
  );
});
