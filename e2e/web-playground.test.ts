/** The playground: from the first login to answers that are stopped, regenerated, and call tools. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, overflow, passwordOf, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { rootPassword, until } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const head = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const message = (page: Page) => page.getByLabel('Message', { exact: true });
const answers = (page: Page) => page.getByRole('article', { name: /^Answer from/ });

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

  test('a new user gets from the first login to a streamed answer', async () => {
    const { page, complaints } = await site.visit();
    await page.goto('/');
    await page.getByLabel('Username').fill('root');
    await page.locator('input[type=password]').fill(rootPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The built-in simulation is answering').waitFor();
    await page.getByLabel('Provider key', { exact: true }).fill('sk-ant-not-a-real-key');
    const provider = page.getByRole('combobox', { name: 'Provider' });
    await until(
      'it is known whose key that is',
      async () => (await provider.locator('option:checked').innerText()) === 'Anthropic',
    );

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
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('Start a conversation').waitFor();

    // Typing replaces the selected model.
    const model = page.getByRole('combobox', { name: 'Model' });
    await model.click();
    await page.keyboard.type('large');
    await page.getByRole('option', { name: /demo\/chat-large/ }).click();
    expect(await model.inputValue()).toBe('demo/chat-large');

    // A cost of zero is drawn at zero, on an axis that shows only zero.
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    const chart = page.getByRole('img', { name: /^Cost per day, \$0/ });
    const amounts = chart.locator('svg text').filter({ hasText: '$' });
    await amounts.first().waitFor();
    expect(await amounts.allTextContents()).toEqual(['$0.00']);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the orchestration model shows its plan and continues its session', async () => {
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

  describe('with a scripted model', () => {
    beforeAll(async () => {
      await site.service.serve({ kind: 'openai', modelId: 'scripted/scripted-1', url: `${upstream.url}/v1` });
    });

    test('an answer is stopped with Esc, regenerated, and its question edited', async () => {
      const { page, complaints } = await site.root();
      // Longer than the test needs on any machine; it is stopped halfway.
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
      await page.getByRole('button', { name: 'Scroll to end' }).waitFor();
      const place = await region.evaluate(({ scrollTop }) => scrollTop);
      await answers(page).getByText('w60', { exact: true }).waitFor();
      expect(await region.evaluate(({ scrollTop }) => scrollTop)).toBe(place);
      await page.getByRole('button', { name: 'Scroll to end' }).click();
      await until('the end is followed again', async () => (await fromEnd()) < 50);
      expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await page.locator('[data-fact=stopped]').waitFor();
      await until('the upstream sees the stop', () => upstream.last().aborted);

      upstream.script = says('openai', { text: 'Second answer.' });
      await page.getByRole('button', { name: 'Regenerate' }).click();
      await answers(page).getByText('Second answer.').waitFor();
      expect(await answers(page).count()).toBe(1);

      await page.getByRole('button', { name: 'Edit message' }).click();
      await page.getByLabel('Edit your message').fill('Go elsewhere');
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.locator('[data-fact=latency]').waitFor();
      expect(upstream.last().body.messages).toEqual([{ role: 'user', content: 'Go elsewhere' }]);
      expect(complaints).toEqual([]);
    }, 300_000);

    test('formulas are rendered; prices and invalid or incomplete formulas stay text', async () => {
      const { page, complaints } = await site.root();
      const script =
        '\\[\n\\begin{aligned} x_1 &= \\frac{-b + \\sqrt{b^2 - 4ac}}{2a} \\\\ |x| &= \\boxed{2} \\end{aligned}\n\\]';
      const text = `With $a \\ne 0$ and \\(b_1\\), from $5 to $10:\n\n${script}\n\nNot $\\unheard{of}$. \\[ \\frac{never`;
      upstream.script = says('openai', { text });
      await page.goto('/playground?model=scripted/scripted-1');
      await say(page, 'Solve it');
      await page.locator('[data-fact=latency]').waitFor();
      const answer = answers(page).last();
      await answer.locator('math mfrac').waitFor();
      await answer.locator('math').nth(2).waitFor();
      expect(await answer.locator('math').count()).toBe(3);
      expect(await answer.locator('annotation').first().textContent()).toBe('a \\ne 0');
      expect(await answer.locator('code').allTextContents()).toEqual(['$\\unheard{of}$', '\\[ \\frac{never']);
      expect(await answer.locator('p').first().innerText()).toContain('from $5 to $10');
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(complaints).toEqual([]);
    }, 300_000);

    test('code blocks have a copy button, and screen readers are told when the answer is complete', async () => {
      const { page, complaints } = await site.root();
      const code = 'for (const one of all)\n  take(one);';
      const text = `Like this:\n\n\`\`\`js\n${code}\n\`\`\`\n\nOr not.`;
      upstream.script = says('openai', { text }, { everyMs: 150 });
      await page.goto('/playground?model=scripted/scripted-1');
      await say(page, 'How?');
      const state = page.getByRole('status').filter({ hasText: 'answer' });
      await state.getByText('Waiting for the answer').waitFor();
      await state.getByText('Answer complete').waitFor();
      await answers(page).getByRole('button', { name: 'Copy code' }).click();
      await answers(page).getByRole('button', { name: 'Copied' }).waitFor();
      await message(page).focus();
      await page.keyboard.press('Control+V');
      expect(await message(page).inputValue()).toBe(code);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    }, 300_000);

    test('a tool call is shown, answered by hand and continued', async () => {
      const { page, complaints } = await site.root();
      const calls = [{ id: 'call_1', name: 'get_weather', args: { city: 'Paris' } }];
      upstream.script = says('openai', { calls });
      await page.goto('/playground?model=scripted/scripted-1');
      await page.getByRole('button', { name: 'Parameters' }).click();
      await page.getByRole('textbox', { name: 'Tools' }).fill('[{');
      await page.getByText('Invalid JSON').first().waitFor();
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

    test('chats are saved for all browsers, named, renamed, deleted and kept apart from other tabs', async () => {
      upstream.script = says('openai', { text: 'Down to the sea.' });
      const here = await site.register('carla');
      await here.page.goto('/playground?model=scripted/scripted-1');
      await head(here.page, 'Parameters').click();
      await here.page.getByLabel('Temperature').fill('0.5');
      await here.page.getByRole('textbox', { name: 'System prompt' }).fill('Speak of water.');
      await here.page.getByRole('button', { name: 'Actions for the system prompt' }).click();
      await here.page.getByRole('menuitem', { name: 'Save as preset' }).click();
      const saving = here.page.getByRole('dialog', { name: 'Save as preset' });
      await saving.getByLabel('Name').fill('Water');
      expect(await accessibilityFaults(here.page)).toEqual([]);
      await saving.getByRole('button', { name: 'Save' }).click();
      await saving.waitFor({ state: 'detached' });
      await here.page.getByRole('button', { name: 'Done' }).click();
      await say(here.page, 'Where do rivers go?');
      await answers(here.page).getByText('Down to the sea.').waitFor();
      await here.page.waitForURL(/chat=/);
      const address = here.page.url();
      await until('it is saved', async () => {
        const { data } = await (await here.context.request.get('/api/playground/chats')).json();
        return data.chats[0]?.version > 0 && data.chats[0].bytes > 1_000;
      });

      // Another browser opens the chat from the list, with its answer and parameters, and continues it.
      const there = await site.signIn('carla', passwordOf('carla'), { viewport: { width: 390, height: 800 } });
      await there.page.goto('/playground');
      await head(there.page, 'Chats').click();
      await there.page.getByRole('button', { name: /^Where do rivers go\?/ }).click();
      await answers(there.page).getByText('Down to the sea.').waitFor();
      expect(there.page.url()).toBe(address);
      await head(there.page, 'Parameters').click();
      expect(await there.page.getByLabel('Temperature').inputValue()).toBe('0.5');
      expect(await there.page.getByRole('combobox', { name: 'Preset' }).inputValue()).toBe('Water');
      await there.page.getByRole('button', { name: 'Done' }).click();
      upstream.script = says('openai', { text: 'From the mountains.' });
      await say(there.page, 'And from where?');
      await answers(there.page).getByText('From the mountains.').waitFor();
      const { messages } = upstream.last().body as { messages: unknown[] };
      expect(messages).toEqual([
        { role: 'system', content: 'Speak of water.' },
        { role: 'user', content: 'Where do rivers go?' },
        { role: 'assistant', content: 'Down to the sea.' },
        { role: 'user', content: 'And from where?' },
      ]);
      await there.page.locator('[data-fact=cost]').nth(1).waitFor();
      await there.settled();

      // The first browser has not seen that and continues too: both versions are kept.
      await until('the other one is saved', async () => {
        const { data } = await (await here.context.request.get('/api/playground/chats')).json();
        return data.chats[0].version > 1;
      });
      upstream.script = says('openai', { text: 'Over a fall.' });
      await say(here.page, 'How fast?');
      await here.page.getByText('This chat was changed elsewhere').waitFor();
      await until('the address is that of the new one', () => here.page.url() !== address);
      await head(here.page, 'Chats').click();
      const rows = here.page.getByRole('button', { name: /^Where do rivers go\?/ });
      await until('both are listed', async () => (await rows.count()) === 2);
      expect(await accessibilityFaults(here.page)).toEqual([]);

      const search = here.page.getByRole('textbox', { name: 'Search chats' });
      await search.fill('MOUNTAINS');
      await until('the matching one is listed', async () => (await rows.count()) === 1);
      expect(await rows.innerText()).toContain('From the mountains.');
      expect(await accessibilityFaults(here.page)).toEqual([]);
      await search.fill('deserts');
      await here.page.getByText('No matching chats').waitFor();
      await search.press('Escape');
      expect(await search.inputValue()).toBe('');
      await until('both are listed again', async () => (await rows.count()) === 2);
      await here.page.getByRole('button', { name: 'Actions for Where do rivers go?' }).last().click();
      const [file] = await Promise.all([
        here.page.waitForEvent('download'),
        here.page.getByRole('menuitem', { name: 'Download as text' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('Where do rivers go.md');
      expect(await Bun.file((await file.path())!).text()).toContain(
        '## You\n\nWhere do rivers go?\n\n## scripted/scripted-1\n\n',
      );
      await here.page.getByRole('button', { name: 'Actions for Where do rivers go?' }).last().click();
      await here.page.getByRole('menuitem', { name: 'Rename' }).click();
      const renaming = here.page.getByRole('dialog', { name: 'Rename chat' });
      await renaming.getByLabel('Name').fill('نهر '.repeat(28).trim());
      await renaming.getByRole('button', { name: 'Rename' }).click();
      await until('one is renamed', async () => (await rows.count()) === 1);
      await here.page.keyboard.press('Escape');
      // Each chat keeps its own draft.
      await message(here.page).fill('Not said yet');
      await head(here.page, 'Chats').click();
      await here.page.getByRole('button', { name: /^نهر/ }).click();
      await answers(here.page).getByText('From the mountains.').waitFor();
      expect([here.page.url(), await message(here.page).inputValue()]).toEqual([address, '']);
      await here.page.goBack();
      await answers(here.page).getByText('Over a fall.').waitFor();
      expect(await message(here.page).inputValue()).toBe('Not said yet');
      await head(here.page, 'Chats').click();
      await here.page.getByRole('button', { name: 'Actions for Where do rivers go?' }).click();
      await here.page.getByRole('menuitem', { name: 'Delete' }).click();
      const deleting = here.page.getByRole('dialog', { name: 'Delete this chat?' });
      await deleting.getByRole('button', { name: 'Cancel' }).and(here.page.locator(':focus')).waitFor();
      expect(await accessibilityFaults(here.page)).toEqual([]);
      await deleting.getByRole('button', { name: 'Delete' }).click();
      await rows.waitFor({ state: 'detached' });
      await here.page.keyboard.press('Escape');
      await here.page.getByText('Start a conversation').waitFor();
      expect(new URL(here.page.url()).search).toBe('');

      // A link to try a model starts a new chat.
      await here.page.goto(address);
      await answers(here.page).getByText('From the mountains.').waitFor();
      await here.page.goto('/playground?model=demo/chat');
      await here.page.getByText('Start a conversation').waitFor();
      expect(await here.page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('demo/chat');
      expect([...here.complaints, ...there.complaints]).toEqual([]);

      // A message sent after the session has ended is saved after the next login, in another tab.
      await here.context.clearCookies();
      await say(here.page, 'Still here?');
      const ended = here.page.getByRole('dialog', { name: 'Your session has ended' });
      await ended.waitFor();
      const login = { username: 'carla', password: passwordOf('carla') };
      expect((await here.context.request.post('/api/user/login', { data: login })).ok()).toBe(true);
      await here.page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await ended.waitFor({ state: 'detached' });
      await here.page.getByText('This chat is not saved').waitFor({ state: 'detached' });
      await until('it is saved', async () => {
        const { data } = await (await here.context.request.get('/api/playground/chats')).json();
        return data.chats[0].name === 'Still here?';
      });
    }, 300_000);

    test('several models answer in parallel and survive navigation and a reload', async () => {
      const long = `scripted-2-${'with-a-long-name-'.repeat(6)}x`;
      await site.service.serve({
        kind: 'openai',
        modelId: `scripted/${long}`,
        modelName: 'other',
        url: `${upstream.url}/v1`,
      });
      const { page, complaints } = await site.root();
      const quick = says('openai', { text: 'Quick answer.' });
      const slow = says(
        'openai',
        { text: Array.from({ length: 6_000 }, (_, n) => `s${n}`).join(' ') },
        { everyMs: 40 },
      );
      let second = slow;
      upstream.script = (request) => (request.body.model === 'other' ? second : quick)(request);
      await page.goto('/playground?model=scripted/scripted-1');
      await head(page, 'Compare').click();
      const model = page.getByRole('combobox', { name: 'Model 2' });
      await model.fill('scripted-2');
      await page.getByRole('option', { name: `scripted/${long}` }).click();
      await say(page, 'Go');
      await answers(page).getByText('Quick answer.').waitFor();
      await answers(page).getByText('s1').first().waitFor();
      expect(await answers(page).count()).toBe(2);
      expect(await accessibilityFaults(page)).toEqual([]);
      const running = page.getByRole('button', { name: /^Stop scripted/ });
      await until('one is still being written', async () => (await running.count()) === 1);
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await page.getByRole('link', { name: 'Playground', exact: true }).click();
      await answers(page).getByText('s40').first().waitFor();
      await running.click();
      await page.locator('[data-fact=stopped]').waitFor();
      expect(await page.locator('[data-fact=latency]').count()).toBe(1);
      await until('each has its cost', async () => (await page.locator('[data-fact=cost]').count()) === 2);

      // Only one model is asked again.
      second = says('openai', { text: 'Now it is done.' });
      await page.getByRole('button', { name: 'Regenerate' }).last().click();
      await answers(page).getByText('Now it is done.').waitFor();
      expect(await answers(page).count()).toBe(2);

      // Both answers are running when the page is reloaded: their partial text stays.
      upstream.script = slow;
      await say(page, 'On');
      await until('both have begun', async () => (await answers(page).getByText('s20').count()) === 2);
      await page.reload();
      await until('both are there', async () => (await answers(page).getByText('s20').count()) === 2);
      expect(await answers(page).count()).toBe(4);
      expect(await page.locator('[data-fact=stopped]').count()).toBe(2);
      expect(await page.getByRole('combobox', { name: 'Model 2' }).inputValue()).toBe(`scripted/${long}`);

      // On a phone, one model is shown at a time.
      await page.setViewportSize({ width: 390, height: 800 });
      await until('one column is shown', async () => (await answers(page).count()) === 2);
      const tab = page.locator('label', { hasText: `2 ${long}` });
      const { x, width } = (await tab.boundingBox())!;
      expect([x > 0, x + width < 390]).toEqual([true, true]);
      await tab.click();
      await page.getByRole('combobox', { name: 'Model 2' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByRole('button', { name: 'Remove model 2' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('combobox', { name: 'Model', exact: true }).waitFor();
      expect(await answers(page).getByText('Quick answer.').count()).toBe(1);
      upstream.script = says('openai', { text: 'unset' });
      expect(complaints).toEqual([]);
    }, 300_000);

    test('a rejected request shows the error message and the request id', async () => {
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
