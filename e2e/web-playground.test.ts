/** The playground as people use it: from the first login to answers that are stopped, repeated, and call tools. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { rootPassword, until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const message = (page: Page) => page.getByLabel('Message', { exact: true });
const answers = (page: Page) => page.getByRole('article', { name: /^Answer of/ });

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await message(page).press('Enter');
}

describe.skipIf(browserMissing)('playground', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(says('openai', { text: 'unset' }));
  }, 300_000);
  afterEach(() => site.closeVisitors());
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
    const provider = page.getByRole('combobox', { name: 'Provider' });
    await until('it is known whose key that is', async () => (await provider.inputValue()) === 'Anthropic');

    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByRole('textbox', { name: 'Your API key' }).inputValue();
    expect(key).toMatch(/^sk-\w{48}$/);
    for (const name of ['curl', 'Python', 'TypeScript', 'Anthropic']) {
      await page.getByRole('tab', { name }).click();
      const code = await page.getByRole('region', { name: `${name} example` }).innerText();
      expect(code).toContain(key);
      expect(code).toContain(site.service.url);
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
  }, 300_000);

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
  }, 300_000);

  describe('of a model that says what it is told', () => {
    beforeAll(async () => {
      await site.service.serve({ kind: 'openai', modelId: 'scripted/scripted-1', url: `${upstream.url}/v1` });
    });

    test('an answer is stopped with Esc, asked again, and edited', async () => {
      const { page, complaints } = await site.root();
      // Longer than the test needs on any machine; it is stopped in the middle.
      const long = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join('\n\n');
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
    }, 300_000);

    test('a tool call is shown, answered by hand, and gone on with', async () => {
      const { page, complaints } = await site.root();
      const calls = [{ id: 'call_1', name: 'get_weather', args: { city: 'Paris' } }];
      upstream.script = says('openai', { calls });
      await page.goto('/playground?model=scripted/scripted-1');
      await page.getByRole('button', { name: 'Parameters' }).click();
      await page.getByRole('textbox', { name: 'Tools' }).fill('[{');
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
    }, 300_000);

    test('a refused request is shown in the service’s words, with its id', async () => {
      const { page } = await site.root();
      upstream.script = () => refuse(400, { error: { message: 'temperature is odd' } });
      await page.goto('/playground?model=scripted/scripted-1');
      await say(page, 'Hello');
      const alert = page.getByRole('alert');
      await alert.getByText('temperature is odd').waitFor();
      expect(await alert.innerText()).toMatch(/Request req_\w+/);
      upstream.script = says('openai', { text: 'fine' });
    }, 300_000);
  });
});
