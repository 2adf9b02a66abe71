/** The playground by keyboard, with an input method and on a phone: nothing is sent, stopped or lost by accident. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const message = (page: Page) => page.getByLabel('Message', { exact: true });
const edited = (page: Page) => page.getByLabel('Edit your message');
const turns = (page: Page) => page.locator('.svc-chat-turn');
const stop = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });
const focusIn = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

const short = says('openai', { text: 'Answer.' });
/** Longer than a test needs on any machine. */
const long = says('openai', { text: Array.from({ length: 6_000 }, (_, n) => `w${n}`).join(' ') }, { everyMs: 40 });

async function say(page: Page, text: string): Promise<void> {
  const before = await turns(page).count();
  await message(page).fill(text);
  await message(page).press('Enter');
  await until('the message is in the chat', async () => (await turns(page).count()) === before + 1);
}

async function conversation(page: Page, ...texts: string[]): Promise<void> {
  upstream.script = short;
  await page.goto('/playground?model=scripted/keys');
  for (const text of texts) {
    await say(page, text);
    await stop(page).waitFor({ state: 'detached' });
  }
}

/** Answers the next question of the browser, and returns what it asked; empty if nothing is asked within seconds. */
async function nextQuestion(page: Page, accept: boolean): Promise<string> {
  const dialog = await page.waitForEvent('dialog', { timeout: 10_000 }).catch(() => null);
  await (accept ? dialog?.accept() : dialog?.dismiss());
  return dialog?.message() ?? '';
}

interface Key {
  key: string;
  isComposing?: boolean;
  keyCode?: number;
}

/** Safari ends a composition before it reports the key that ended it: only the key code tells. */
const keyOf = (page: Page, key: Key): Promise<boolean> =>
  page.evaluate(
    (fields) =>
      document.activeElement!.dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...fields }),
      ),
    key,
  );
const composing: [browser: string, fields: Omit<Key, 'key'>][] = [
  ['Chrome', { isComposing: true }],
  ['Safari', { keyCode: 229 }],
];

describe.skipIf(browserMissing)('playground keys', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(short);
    await site.service.serve({ kind: 'openai', modelId: 'scripted/keys', url: `${upstream.url}/v1` });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test.each(composing)(
    'keys that serve an input method in %s do nothing else',
    async (_, fields) => {
      const { page } = await site.root();
      await conversation(page);
      await message(page).fill('ni hao');
      await keyOf(page, { key: 'Enter', ...fields });
      await page.keyboard.press('Control+k');
      const search = page.getByRole('combobox', { name: /^Search pages/ });
      await search.fill('Keys');
      await keyOf(page, { key: 'Enter', ...fields });
      expect(await search.inputValue()).toBe('Keys');
      await page.keyboard.press('Escape');
      expect(await message(page).inputValue()).toBe('ni hao');
      expect(await turns(page).count()).toBe(0);

      upstream.script = long;
      await say(page, 'Go on');
      await message(page).fill('ni hao');
      await keyOf(page, { key: 'Escape', ...fields });
      await page.waitForTimeout(300);
      expect(await stop(page).count()).toBe(1);
      await page.keyboard.press('Escape');
      await stop(page).waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Edit message' }).click();
      await keyOf(page, { key: 'Escape', ...fields });
      expect(await edited(page).count()).toBe(1);
    },
    300_000,
  );

  test('Esc that closes something else does not stop the answer', async () => {
    const { page } = await site.root();
    await conversation(page, 'First');
    const chats = page.getByRole('dialog', { name: 'Chats' });
    const opened: [open: () => Promise<unknown>, what: ReturnType<Page['locator']>][] = [
      [() => page.getByRole('combobox', { name: 'Model', exact: true }).click(), page.getByRole('listbox')],
      [() => page.getByRole('button', { name: 'Chats', exact: true }).click(), chats],
      [() => page.getByRole('button', { name: /^Parameters/ }).click(), page.getByRole('dialog')],
      [() => page.keyboard.press('Control+k'), page.getByRole('dialog')],
      [() => page.getByRole('button', { name: /^Account menu/ }).click(), page.getByRole('menu')],
    ];
    upstream.script = long;
    await page.getByRole('button', { name: 'Edit message' }).click();
    opened.unshift([async () => edited(page).focus(), edited(page)]);
    await say(page, 'Go on');
    for (const [open, what] of opened) {
      await open();
      await what.first().waitFor();
      await page.keyboard.press('Escape');
      await what.first().waitFor({ state: 'hidden' });
      await page.waitForTimeout(100);
      expect(await stop(page).count()).toBe(1);
    }
    await page.keyboard.press('Escape');
    await stop(page).waitFor({ state: 'detached' });
  }, 300_000);

  test('an edited message is not lost by Esc or while an answer is running', async () => {
    const { page } = await site.root();
    await conversation(page, 'First');
    await page.getByRole('button', { name: 'Edit message' }).click();
    await page.keyboard.press('Escape');
    await edited(page).waitFor({ state: 'detached' });
    expect(await focusIn(page)).toBe('Edit message');

    await page.keyboard.press('Enter');
    await edited(page).fill('Much longer');
    const question = nextQuestion(page, false);
    await page.keyboard.press('Escape');
    expect(await question).toMatch(/Unsaved changes will be lost/);
    expect(await edited(page).inputValue()).toBe('Much longer');

    upstream.script = long;
    await say(page, 'Second');
    const again = page.getByRole('button', { name: 'Send again' });
    expect(await again.isDisabled()).toBe(true);
    await stop(page).click();
    await until('it can be sent', () => again.isEnabled());
    upstream.script = short;
    void nextQuestion(page, true);
    await again.click();
    await until('the later message is gone', async () => (await turns(page).count()) === 1);
    await page.getByText('Much longer').waitFor();
    expect(upstream.last().body.messages).toEqual([{ role: 'user', content: 'Much longer' }]);
  }, 300_000);

  test('regenerating or editing an earlier message asks before later messages are removed', async () => {
    const { page } = await site.root();
    await conversation(page, 'First', 'Second', 'Third');
    for (const act of ['Regenerate', 'Edit message']) {
      const question = nextQuestion(page, false);
      await page.getByRole('button', { name: act }).first().click();
      if (act === 'Edit message') await page.getByRole('button', { name: 'Send again' }).click();
      expect(await question).toMatch(/Later messages/);
      expect(await turns(page).count()).toBe(3);
    }
    // The last answer can be regenerated without a question; the keyboard goes on in the message field.
    page.once('dialog', () => expect.unreachable());
    await page.getByRole('button', { name: 'Regenerate' }).last().press('Enter');
    await until('the focus is in the message field', async () => (await focusIn(page)) === 'Message');
    await stop(page).waitFor({ state: 'detached' });
    expect(await turns(page).count()).toBe(3);
    page.removeAllListeners('dialog');
    void nextQuestion(page, true);
    await page.getByRole('button', { name: 'Regenerate' }).first().click();
    await until('the later messages are gone', async () => (await turns(page).count()) === 1);
  }, 300_000);

  test('unsent messages survive a reload, each in its chat', async () => {
    const { page } = await site.root();
    await conversation(page, 'First');
    await until('the chat is saved', async () => page.url().includes('chat='));
    await message(page).fill('For the old chat');
    await page.reload();
    await turns(page).waitFor();
    expect(await message(page).inputValue()).toBe('For the old chat');
    await page.getByRole('button', { name: 'New chat' }).click();
    await turns(page).waitFor({ state: 'detached' });
    await message(page).fill('For a new one');
    await page.reload();
    await until('the draft is back', async () => (await message(page).inputValue()) === 'For a new one');
    upstream.script = short;
    await say(page, 'Sent');
    await stop(page).waitFor({ state: 'detached' });
    await page.reload();
    await turns(page).waitFor();
    expect(await message(page).inputValue()).toBe('');
  }, 300_000);

  test('Enter on a phone begins a new line', async () => {
    const { page } = await site.root({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await conversation(page);
    await message(page).fill('Line one');
    await message(page).press('Enter');
    await page.keyboard.type('Line two');
    expect(await message(page).inputValue()).toBe('Line one\nLine two');
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await until('it is sent', async () => (await turns(page).count()) === 1);
  }, 300_000);
});
