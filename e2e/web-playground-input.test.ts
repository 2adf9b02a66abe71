/** What is not sent yet in the playground: pasted and dropped images, changed messages, results of tools. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const message = (page: Page) => page.getByLabel('Message', { exact: true });
const edited = (page: Page) => page.getByLabel('Edit your message');
const attached = (page: Page) => page.getByRole('img', { name: /^Attached image \d/ });
const answers = (page: Page) => page.getByRole('article', { name: /^Answer from/ });
const focusIn = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

async function say(page: Page, text: string): Promise<void> {
  const before = await answers(page).count();
  await message(page).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await until('it is answered', async () => (await answers(page).count()) > before);
  await page.locator('[data-fact=latency]').nth(before).waitFor();
}

interface Given {
  name: string;
  type: string;
  /** Makes the images differ. */
  bytes: number;
}
const png = (bytes: number): Given => ({ name: `${bytes}.png`, type: 'image/png', bytes });

/** What the browser does when files, and possibly text, are pasted or dropped; returns whether the page took them. */
const give = (
  page: Page,
  how: 'paste' | 'drop',
  files: Given[],
  texts: Record<string, string> = {},
): Promise<boolean> =>
  page.evaluate(
    ({ how, files, texts }) => {
      const data = new DataTransfer();
      for (const { name, type, bytes } of files)
        data.items.add(new File([new Uint8Array(bytes).fill(bytes % 251)], name, { type }));
      for (const [type, text] of Object.entries(texts)) data.setData(type, text);
      const shared = { bubbles: true, cancelable: true };
      const event =
        how === 'paste'
          ? new ClipboardEvent('paste', { ...shared, clipboardData: data })
          : new DragEvent('drop', { ...shared, dataTransfer: data });
      return !(document.activeElement ?? document.body).dispatchEvent(event);
    },
    { how, files, texts },
  );

describe.skipIf(browserMissing)('input in the playground', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(says('openai', { text: 'Seen' }));
    await site.service.serve({
      ...{ kind: 'openai', modelId: 'scripted/input', url: `${upstream.url}/v1` },
      capabilities: { vision: true },
    });
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('images are pasted and dropped, with the limits of the file dialog', async () => {
    const { page, complaints } = await site.root();
    await page.goto('/playground?model=scripted/input');
    await message(page).fill('What are these?');
    expect(await give(page, 'paste', [png(10)])).toBe(true);
    await attached(page).waitFor();
    await page.getByRole('status').getByText('1 image attached').waitFor({ state: 'attached' });
    // The good ones are attached, and each of the others is named with its reason.
    const movie = { name: 'film.mp4', type: 'video/mp4', bytes: 12 };
    expect(await give(page, 'drop', [png(11), movie, png(9 * 1024 * 1024), png(10)])).toBe(true);
    await page.getByText('film.mp4 cannot be attached. Use an image of one of these types: PNG, JPEG, WEBP').waitFor();
    await page.getByText(`${9 * 1024 * 1024}.png is over 8 MB.`).waitFor();
    expect(await attached(page).count()).toBe(2);
    expect(await focusIn(page)).toBe('Message');
    expect(await accessibilityFaults(page)).toEqual([]);

    // The picture of a copied part of a document is left alone, and so is text.
    const table = { 'text/plain': 'a\tb', 'text/html': '<table><tr><td>a<td>b</table>' };
    expect(await give(page, 'paste', [png(13)], table)).toBe(false);
    expect(await give(page, 'paste', [], { 'text/plain': 'words' })).toBe(false);
    expect(await give(page, 'drop', [], { 'text/plain': 'words' })).toBe(false);
    // A file manager copies the file's name as well.
    expect(await give(page, 'paste', [png(14)], { 'text/plain': '14.png' })).toBe(true);
    await attached(page).nth(2).waitFor();
    await page.getByRole('button', { name: 'Remove image 3' }).press('Enter');
    await until('it is removed', async () => (await attached(page).count()) === 2);
    await until('the focus is in the message field', async () => (await focusIn(page)) === 'Message');

    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('[data-fact=latency]').waitFor();
    const parts = (upstream.last().body.messages as { content: { type: string }[] }[])[0]!.content;
    expect(parts.map(({ type }) => type).sort()).toEqual(['image_url', 'image_url', 'text']);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a file over the page shows that it can be dropped; in a dialog it is refused', async () => {
    const { page } = await site.root();
    await page.goto('/playground?model=scripted/input');
    await message(page).waitFor();
    const over = (target: string, name: string) =>
      page.evaluate(
        ({ target, name }) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(['x'], 'a.png', { type: 'image/png' }));
          const event = new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer });
          return !document.querySelector(target)!.dispatchEvent(event);
        },
        { target, name },
      );
    expect(await over('.svc-sidebar', 'dragover')).toBe(true);
    await page.getByText('Drop images to attach them').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await over('.svc-sidebar', 'dragleave');
    await page.getByText('Drop images to attach them').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await over('[role=dialog]', 'drop')).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await attached(page).count()).toBe(0);
  }, 300_000);

  test('on a phone an image is pasted, and removing it does not open the keyboard', async () => {
    const { page } = await site.root({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await page.goto('/playground?model=scripted/input');
    await message(page).waitFor();
    await give(page, 'paste', [png(20), png(21)]);
    await attached(page).nth(1).waitFor();
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Remove image 1' }).tap();
    await until('the focus is on the button', async () => (await focusIn(page)) === 'Attach images');
    expect(await attached(page).count()).toBe(1);
  }, 300_000);

  test('a changed message is kept when another chat or page is opened, and by a reload', async () => {
    const { page } = await site.root();
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.type());
      return question.accept();
    });
    await page.goto('/playground?model=scripted/input');
    await say(page, 'First');
    await until('the chat is saved', async () => page.url().includes('chat='));
    const first = page.url();
    await page.getByRole('button', { name: 'Edit message' }).click();
    await edited(page).fill('First, changed');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('Start a conversation').waitFor();
    expect(await message(page).inputValue()).toBe('');
    await say(page, 'Another chat');
    await page.getByText('Another chat').first().waitFor();
    const returns = [
      async () => {
        await page.getByRole('button', { name: 'Chats' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'First' }).first().click();
      },
      async () => {
        await page.getByRole('link', { name: 'Keys', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
        await page.goBack();
      },
      () => page.reload(),
    ];
    for (const [index, back] of returns.entries()) {
      await back();
      await until('the change is there', async () => (await edited(page).inputValue()).startsWith('First, changed'));
      expect(page.url()).toBe(first);
      await edited(page).press('End');
      await edited(page).pressSequentially(String(index));
    }
    expect(await edited(page).inputValue()).toBe('First, changed012');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('First, changed012').waitFor();
    await page.locator('[data-fact=latency]').waitFor();
    await page.reload();
    await page.getByText('First, changed012').waitFor();
    expect(await edited(page).count()).toBe(0);
    // The browser asks before a reload, because it asks the same before the tab is closed.
    expect(new Set(asked)).toEqual(new Set(['beforeunload']));
  }, 300_000);

  test('Esc asks before a change that was kept is lost', async () => {
    const { page } = await site.root();
    await page.goto('/playground?model=scripted/input');
    await say(page, 'Said');
    await page.getByRole('button', { name: 'Edit message' }).click();
    await edited(page).fill('Said otherwise');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.goBack();
    await edited(page).focus();
    let asked = 0;
    page.on('dialog', (question) => {
      asked += 1;
      return asked === 1 ? question.dismiss() : question.accept();
    });
    await page.keyboard.press('Escape');
    await until('somebody was asked', () => asked === 1);
    expect(await edited(page).inputValue()).toBe('Said otherwise');
    await page.keyboard.press('Escape');
    await edited(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.goBack();
    await page.getByText('Said', { exact: true }).waitFor();
    expect(await edited(page).count()).toBe(0);
  }, 300_000);

  test('the result of a tool is kept when another chat is opened', async () => {
    const { page } = await site.root();
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.message());
      return question.accept();
    });
    upstream.script = says('openai', { calls: [{ id: 'call_1', name: 'weather', args: {} }] });
    await page.goto('/playground?model=scripted/input');
    await say(page, 'How is the weather?');
    upstream.script = says('openai', { text: 'Sunny' });
    const result = page.getByLabel('Result of weather');
    await result.fill('{"sky":"clear"}');
    await until('the chat is saved', async () => page.url().includes('chat='));
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('Start a conversation').waitFor();
    await page.goBack();
    await result.waitFor();
    expect(await result.inputValue()).toBe('{"sky":"clear"}');
    await page.getByRole('button', { name: 'Send result' }).click();
    await page.getByText('Sunny').waitFor();
    expect((upstream.last().body.messages as object[]).at(-1)).toMatchObject({
      role: 'tool',
      content: '{"sky":"clear"}',
    });
    expect(asked).toEqual([]);
  }, 300_000);

  test('a long chat opens with its end, and soon shows all of it without moving what is read', async () => {
    const { page: writer, context } = await site.root();
    await writer.goto('/playground?model=scripted/input');
    await say(writer, 'The first question');
    await until('the chat is saved', async () => writer.url().includes('chat='));
    const id = new URL(writer.url()).searchParams.get('chat')!;
    const path = `/api/playground/chats/${id}`;
    const stored = async () => (await (await context.request.get(path)).json()).data;
    await until('its answer is stored', async () => (await stored())?.content.entries[1]?.state === 'done');
    await writer.close();
    const data = await stored();
    const [said, answer] = data.content.entries;
    const turn = (n: number) => [
      { ...said, id: `said${n}`, content: `Question ${n}` },
      { ...answer, id: `answer${n}`, content: `**Answer** ${n}` },
    ];
    const entries = [said, answer, ...Array.from({ length: 120 }, (_, n) => turn(n)).flat()];
    const body = { version: data.version, content: { ...data.content, entries } };
    expect((await context.request.put(path, { data: body })).status()).toBe(200);
    // Another tab, which holds no chats.
    const { page } = await site.root();
    await page.addInitScript(() => {
      const seen = Object.assign(globalThis, { turnsAtFirst: 0 });
      new MutationObserver(() => {
        seen.turnsAtFirst ||= document.querySelectorAll('.svc-chat-turn').length;
      }).observe(document, { subtree: true, childList: true });
    });
    await page.goto(`/playground?chat=${id}`);
    await page.getByText('Question 119', { exact: true }).waitFor();
    const region = page.getByRole('region', { name: 'Conversation' });
    const toEnd = () => region.evaluate((e) => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight));
    expect(await page.evaluate(() => (globalThis as unknown as { turnsAtFirst: number }).turnsAtFirst)).toBeLessThan(
      30,
    );
    await page.getByText('The first question', { exact: true }).waitFor({ state: 'attached' });
    expect(await page.locator('.svc-chat-turn').count()).toBe(121);
    await until('the end is in view', async () => (await toEnd()) < 2);
  }, 300_000);
});
