/** Focus, unsaved input, input at the end of a session, and answers in the playground are not lost. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults, browserMissing, openSite, passwordOf, type Site } from './browser.ts';
import { says } from './relay-replies.ts';
import { login, until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;

const focused = (element: Locator) => element.and(element.page().locator(':focus')).waitFor();
const answers = (page: Page) => page.getByRole('article', { name: /^Answer from/ });

describe.skipIf(browserMissing)('focus and unsaved work', () => {
  beforeAll(async () => {
    site = await openSite();
    upstream = startUpstream(says('openai', { text: 'unset' }));
    await site.register('ned');
  }, 300_000);
  afterEach(() => site.closeVisitors());
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
  });

  test('a closed dialog returns focus to the button that opened it', async () => {
    const { page, complaints } = await site.root();
    await page.goto('/admin/users?q=ned');
    const menu = page.getByRole('button', { name: 'Actions for ned' });
    const dialog = page.getByRole('dialog', { name: 'Credits for ned' });
    const closings = [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.goBack(),
    ];
    for (const close of closings) {
      await menu.click();
      await page.getByRole('menuitem', { name: 'Credits' }).click();
      await dialog.getByLabel('Amount').waitFor();
      await close();
      await dialog.waitFor({ state: 'detached' });
      await focused(menu);
      expect(new URL(page.url()).pathname).toBe('/admin/users');
    }
    const invite = page.getByRole('button', { name: 'Invite' });
    await invite.click();
    await page.getByRole('dialog', { name: 'Invite user' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(invite);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('deleting a row moves focus to the next row, then to the previous one, then to the heading', async () => {
    const { page, context, open } = await site.register('tidy');
    for (const name of ['one', 'two', 'three']) await context.request.post('/api/tokens', { data: { name } });
    await open('/keys');
    const acts = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
    const names = await page.getByRole('rowheader').locator('p:first-child').allInnerTexts();
    expect([...names].sort()).toEqual(['one', 'three', 'two']);
    const [first, second, third] = names as [string, string, string];
    const revoke = async (name: string) => {
      await acts(name).press('Enter');
      await page.getByRole('menuitem', { name: 'Revoke' }).press('Enter');
      await page.getByRole('button', { name: 'Revoke key' }).press('Enter');
      await acts(name).waitFor({ state: 'detached' });
    };
    await revoke(second);
    await focused(acts(third));
    await revoke(third);
    await focused(acts(first));
    await revoke(first);
    await focused(page.getByRole('heading', { level: 1 }));
  }, 300_000);

  test('a button that is disabled while it works, or removes itself, does not lose the focus', async () => {
    const { page, context, open, settled } = await site.register('keyed');
    const body = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    const made = await context.request.post('/api/oauth2/applications', { data: body });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await open(`/applications/${(await made.json()).data.id}`);
    await page.getByLabel('Description').fill('By keyboard');
    // While it is sent, the button is disabled; afterwards the form is shown anew.
    await save.press('Enter');
    await page.getByText('Application saved').waitFor();
    await settled();
    await focused(save);
    for (const _ of ['one', 'two']) await login(site.service.url, 'keyed', passwordOf('keyed'));
    await open('/account');
    const logOut = page.getByRole('button', { name: /^Log out (?!all)/ }).and(page.locator('main *'));
    await logOut.first().press('Enter');
    await page.getByText('Device logged out').waitFor();
    await settled();
    await focused(logOut);
    expect(await logOut.count()).toBe(1);
    await logOut.press('Enter');
    await focused(page.getByRole('region', { name: 'Logged-in devices' }));
  }, 300_000);

  test('closing a dialog while it is sending asks for confirmation, and the new secret is still shown', async () => {
    const { page, open } = await site.register('hasty');
    await open('/keys');
    const asked: string[] = [];
    page.on('dialog', async (question) => {
      asked.push(question.message());
      await (asked.length < 3 ? question.dismiss() : question.accept());
    });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/api/tokens', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('slow');
    await form.getByLabel('Name').press('Enter');
    await form.locator('button[data-loading]').waitFor();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(new Set(asked)).toEqual(new Set(['Your changes are being sent. Closing this does not cancel them. Close?']));
    expect(asked).toHaveLength(3);
    goOn();
    await page.getByRole('dialog', { name: 'Your new key' }).getByLabel('API key', { exact: true }).waitFor();
  }, 300_000);

  test('Back first closes an open dialog, then leaves the page', async () => {
    const { page } = await site.root();
    await page.goto('/keys');
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByRole('button', { name: 'Parameters' }).click();
    const drawer = page.getByRole('dialog', { name: 'Parameters' });
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    // The router cannot prevent the browser's step back, and reverts it a moment later.
    await page.waitForURL('**/playground');
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.goBack();
    await page.waitForURL('**/keys');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  }, 300_000);

  test('leaving with unsaved text asks for confirmation', async () => {
    const { page, open, complaints } = await site.root();
    const asked: string[] = [];
    let answer = false;
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      return answer ? dialog.accept() : dialog.dismiss();
    });
    await open('/account');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    const create = page.getByRole('button', { name: 'Create key' }).first();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    const name = form.getByLabel('Name');
    await create.click();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(asked).toEqual([]);

    await create.click();
    await name.fill('half a name');
    const closings = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
      () => page.evaluate(() => history.back()),
      () => page.evaluate(() => location.reload()),
    ];
    for (const [index, close] of closings.entries()) {
      await close();
      await until('somebody was asked', () => asked.length === index + 1);
      expect(await name.inputValue()).toBe('half a name');
    }
    expect(asked.splice(0)).toEqual(['confirm', 'confirm', 'confirm', 'beforeunload']);
    // Cancel is a deliberate choice, so there is no confirmation.
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Applications', exact: true }).first().click();
    await page.getByRole('link', { name: 'New application' }).first().click();
    const application = page.getByRole('textbox', { name: 'Name', exact: true });
    await application.fill('Half an application');
    const playground = page.getByRole('link', { name: 'Playground', exact: true });
    await playground.click();
    await until('somebody was asked', () => asked.length === 1);
    expect(await application.inputValue()).toBe('Half an application');
    // Input is not lost either after a validation error of the page or an error of the service.
    const save = page.getByRole('button', { name: 'Register application' });
    await save.click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await playground.click();
    await until('somebody was asked', () => asked.length === 2);
    await page.getByLabel('Redirect address 1').fill('https://half.example/callback');
    await page.route('**/api/oauth2/applications', (route) => route.abort());
    await save.click();
    await page.getByRole('alert').first().waitFor();
    await playground.click();
    await until('somebody was asked', () => asked.length === 3);
    expect(await application.inputValue()).toBe('Half an application');
    expect(asked.splice(1)).toEqual(['confirm', 'confirm']);
    expect(complaints.splice(0)).toEqual(['Failed to load resource: net::ERR_FAILED']);
    answer = true;
    await playground.click();
    await page.waitForURL('**/playground');
    // Discarded changes are not asked about again.
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.waitForURL('**/keys');
    expect([asked, complaints]).toEqual([['confirm', 'confirm'], []]);
  }, 300_000);

  test('leaving with unsaved selections or switches asks for confirmation', async () => {
    const { page, open, complaints } = await site.root();
    let asked = 0;
    page.on('dialog', (dialog) => {
      asked += 1;
      return dialog.dismiss();
    });
    await open('/routing/preferences');
    const away = page.getByRole('link', { name: 'Playground', exact: true });
    const undo = page.getByRole('button', { name: 'Undo changes' });
    const changes = [
      () => page.getByRole('radio', { name: 'Cost' }).check(),
      async () => {
        await page.getByLabel('Blocked').first().click();
        await page.getByRole('option').first().click();
        await page.keyboard.press('Escape');
      },
    ];
    for (const [index, change] of changes.entries()) {
      await change();
      await away.click();
      await until('somebody was asked', () => asked === index + 1);
      expect(new URL(page.url()).pathname).toBe('/routing/preferences');
      await undo.click();
    }
    await away.click();
    await page.waitForURL('**/playground');

    await open('/admin/users?q=ned');
    await page.getByRole('button', { name: 'Actions for ned' }).click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog', { name: /ned/ });
    await form.getByRole('switch').first().click();
    await page.keyboard.press('Escape');
    await until('somebody was asked', () => asked === changes.length + 1);
    await form.getByRole('switch').first().click();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect([asked, complaints]).toEqual([changes.length + 1, []]);
  }, 300_000);

  test('a form keeps its input when the session ends and works after a new login', async () => {
    const { page, context } = await site.signIn('ned', passwordOf('ned'));
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('kept through it');
    await context.clearCookies();
    await form.getByRole('button', { name: 'Create key' }).click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe('/keys');
    const opening = context.waitForEvent('page');
    await ended.getByRole('link', { name: 'Log in' }).click();
    const other = await opening;
    await other.getByLabel('Username').fill('ned');
    await other.locator('input[type=password]').fill(passwordOf('ned'));
    await other.getByRole('button', { name: 'Log in' }).click();
    await other.getByRole('heading', { name: 'Welcome, ned' }).waitFor();
    await other.close();
    // The event that the browser sends when the tab is shown again.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await ended.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('kept through it');
    await form.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('kept through it').waitFor();
  }, 300_000);

  test('a missing chat shows an error with links to a new chat and to the list', async () => {
    const { page, open, complaints } = await site.root();
    for (const id of ['0123456789abcdef0123456789abcdef', 'no name of a chat!']) {
      await open(`/playground?chat=${encodeURIComponent(id)}`);
      await page.getByText('Chat not found').waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Show my chats' }).click();
      await page.getByRole('dialog', { name: 'Chats' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Start a new chat' }).click();
      await page.getByText('Start a conversation').waitFor();
      expect(new URL(page.url()).search).toBe('');
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test('an answer in the playground continues while other pages are open and survives a reload', async () => {
    await site.service.serve({ kind: 'openai', modelId: 'scripted/scripted-1', url: `${upstream.url}/v1` });
    const words = Array.from({ length: 120 }, (_, index) => `w${index}`);
    upstream.script = says('openai', { text: words.join(' ') }, { everyMs: 20 });
    const { page, complaints } = await site.root();
    await page.goto('/playground?model=scripted/scripted-1');
    await page.getByLabel('Message', { exact: true }).fill('Go on');
    await page.keyboard.press('Enter');
    await answers(page).getByText('w1').first().waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await answers(page).getByText('w119').waitFor();
    await page.locator('[data-fact=latency]').waitFor();
    await page.reload();
    await answers(page).getByText('w119').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.reload();
    await page.getByText('Start a conversation').waitFor();

    // Logging out removes everything, including a running answer.
    upstream.script = says('openai', { text: words.join(' ') }, { everyMs: 250 });
    await page.getByLabel('Message', { exact: true }).fill('Go on');
    await page.keyboard.press('Enter');
    await answers(page).getByText('w1').first().waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL(/\/login/);
    expect(await page.evaluate(() => sessionStorage.getItem('svc-playground'))).toBeNull();
    expect(complaints).toEqual([]);
  }, 300_000);
});
