/** A user's own data: downloaded, and deleted with the account, by themselves or by an administrator. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, passwordOf, type Site, type Visitor } from './browser.ts';

let site: Site;
let admin: Visitor;
let user: Visitor;

const exportPath = '**/api/user/self/export';

describe.skipIf(browserMissing)('account', () => {
  beforeAll(async () => {
    site = await openSite();
    [admin, user] = [await site.root(), await site.register('uma')];
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect([admin, user].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('a user downloads their data and sees its size', async () => {
    const { page } = user;
    await page.goto('/account');
    // It is counted when it is looked at.
    await page.getByRole('heading', { name: 'Your storage' }).scrollIntoViewIfNeeded();
    const kept = page.getByRole('table', { name: 'Storage by type' });
    await kept.getByRole('row', { name: 'Playground chats and prompts 0 B' }).waitFor();
    await page.getByText('0 B of 5.2 GB').waitFor();
    // Each leads to where it is looked at and deleted; what finds others again goes with them.
    const places = await kept
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => decodeURIComponent(link.getAttribute('href')!)));
    expect(places).toEqual([
      ...['/docs#delete-/v1/files/{file_id}', '/docs#get-/v1/batches'],
      ...['/sessions', '/knowledge', '/playground', '/requests'],
    ]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const file = await saved;
    const text = await Bun.file((await file.path())!).text();
    const data = JSON.parse(text) as { user_id: number; identity: { account: { username: string }[] } };
    expect(file.suggestedFilename()).toBe(`svc-user-${data.user_id}.json`);
    expect(data.identity.account[0]?.username).toBe('uma');
    const status = page.getByRole('status', { name: 'Download' });
    await status.getByText(new RegExp(`^Done: ${file.suggestedFilename()}, [\\d.,]+ K?B$`)).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  }, 300_000);

  test('a running download shows its progress and can be cancelled; a failed one shows the reason', async () => {
    const { page } = user;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(exportPath, async (route) => {
      await held;
      await route.abort().catch(() => {});
    });
    await page.goto('/account');
    const start = page.getByRole('button', { name: 'Download my data' });
    await start.click();
    const status = page.getByRole('status', { name: 'Download' });
    await status.getByText('Preparing your file').waitFor();
    expect(await start.isDisabled()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await status.getByText('Preparing your file').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    release();
    await page.unroute(exportPath);
    const body = JSON.stringify({ success: false, message: 'Too many requests.' });
    await page.route(exportPath, (route) => route.fulfill({ status: 429, contentType: 'application/json', body }));
    await start.click();
    const fault = page.getByRole('alert').filter({ hasText: 'Your data could not be downloaded' });
    await fault.getByText('Too many requests.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.unroute(exportPath);
    const saved = page.waitForEvent('download');
    await fault.getByRole('button', { name: 'Try again' }).click();
    await saved;
    await fault.waitFor({ state: 'detached' });
  }, 300_000);

  test('deleting an account asks for the password; a wrong one deletes nothing', async () => {
    const { page } = user;
    await page.goto('/account');
    const open = page.getByRole('button', { name: 'Delete my account', exact: true });
    await open.click();
    const form = page.getByRole('dialog', { name: 'Delete your account?' });
    const password = form.getByLabel('Your password');
    const act = form.getByRole('button', { name: 'Delete permanently' });
    await form.getByText('Usage and ledger entries, without your name').waitFor();
    const focused = (name: string) =>
      page.waitForFunction((text) => document.activeElement?.outerHTML.includes(text), name);
    await focused('current-password');
    expect(await act.isDisabled()).toBe(true);
    await password.fill('not this one');
    await password.press('Enter');
    await form.getByText('The password is wrong.').waitFor();
    await focused('current-password');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await focused('Delete my account');
    expect((await user.context.request.get('/api/user/self')).status()).toBe(200);
  }, 300_000);

  test('with the right password the account is deleted, and a goodbye page is shown', async () => {
    const { page } = user;
    await page.goto('/account');
    await page.getByRole('button', { name: 'Delete my account', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Delete your account?' });
    await form.getByLabel('Your password').fill(passwordOf('uma'));
    await form.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL('**/goodbye');
    const heading = page.getByRole('heading', { level: 1, name: 'Your account has been deleted' });
    await heading.and(page.locator(':focus')).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect((await user.context.request.get('/api/user/self')).status()).toBe(401);
    await page.goto('/keys');
    await page.waitForURL(/\/login\?/);
    await page.getByLabel('Username').fill('uma');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('uma'));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Wrong username or password.').waitFor();
  }, 300_000);

  test('an administrator deletes a user by typing the name; root cannot be deleted', async () => {
    const other = await site.register('vic');
    const { page } = admin;
    await page.goto('/account');
    await page.getByText('The root user cannot be deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Delete my account' }).isDisabled()).toBe(true);
    await page.goto('/admin/users');
    await page.getByRole('button', { name: 'Actions for root' }).click();
    const item = page.getByRole('menuitem', { name: 'Delete' });
    expect(await item.isDisabled()).toBe(true);
    // The first act is disabled; the keyboard works all the same.
    await page.getByRole('menuitem', { name: 'Credits' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await item.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for vic' }).click();
    await item.click();
    const form = page.getByRole('dialog', { name: 'Delete vic?' });
    const act = form.getByRole('button', { name: 'Delete permanently' });
    await form.getByLabel('Type vic to confirm').fill('vi');
    expect(await act.isDisabled()).toBe(true);
    await form.getByLabel('Type vic to confirm').fill('vic');
    expect(await accessibilityFaults(page)).toEqual([]);
    await act.click();
    await page.getByText('vic is deleted').waitFor();
    const row = page.getByRole('row').filter({ hasText: /^deleted-3/ });
    await row.getByText('Deleted', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    expect((await other.context.request.get('/api/user/self')).status()).toBe(401);
    await other.context.close();
  }, 300_000);
});
