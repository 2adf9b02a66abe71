/** Credentials of channels, aliases, keys that people bring along, and a key that gets a new secret. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accessibilityFaults, browserMissing, openSite, type Site, type Visitor } from './browser.ts';
import { says } from './relay-replies.ts';
import type { Served } from './service.ts';
import { refuse, startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;
let root: Visitor;
let served: Served;
const good = 'sk-good-credential-1234';
const bad = 'sk-bad-credential-9999';

const keyOf = (headers: Headers): string => headers.get('authorization')?.replace('Bearer ', '') ?? '';

describe.skipIf(browserMissing)('provider keys', () => {
  beforeAll(async () => {
    site = await openSite();
    const answer = says('openai', { text: 'Hello' });
    upstream = startUpstream((asked) =>
      keyOf(asked.headers) === bad ? refuse(401, { error: { message: `wrong key ${bad}` } }) : answer(asked),
    );
    served = await site.service.serve({ kind: 'openai', url: upstream.url, provider: 'acme', modelId: 'acme/large' });
    for (const [key, value] of Object.entries({ OwnKeys: true, OwnKeyFee: 0.05 }))
      await site.service.root.api('/api/admin/options', { method: 'PUT', body: { key, value } });
    root = await site.root();
  }, 300_000);
  afterAll(async () => {
    upstream?.stop();
    await site?.stop();
    expect(root?.complaints).toEqual([]);
  });

  test('credentials are added to a channel, tested, edited and removed', async () => {
    const { page } = root;
    await page.goto('/admin/channels');
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Credentials' }).click();
    await page.waitForURL(/[?&]credentials=\d+/);
    const drawer = page.getByRole('dialog', { name: /^Credentials of/ });
    await drawer.getByText('The channel’s own').waitFor();
    await drawer.getByRole('button', { name: 'Add credential' }).click();
    const form = page.getByRole('dialog', { name: 'Add a credential' });
    await form.getByRole('button', { name: 'Add credential' }).click();
    await form.getByText('Enter the key.').waitFor();
    await form.getByLabel('Name').fill('Spare');
    await form.getByLabel(/^Key/).fill(bad);
    await form.getByLabel('Requests per minute').fill('60');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add credential' }).click();
    // Tried at once, and the vendor's words come without the key.
    await drawer.getByText(/wrong key \[redacted\]/).waitFor();
    await drawer.getByText('60 requests per minute').waitFor();
    await drawer.getByText('Circuit closed').first().waitFor();
    expect(await page.content()).not.toContain(bad);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Actions for Spare' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Spare' });
    await edit.getByLabel(/^Key/).fill(good);
    await edit.getByLabel('Weight').fill('3');
    await edit.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('Key ••••1234 · weight 3').waitFor();
    await drawer.getByRole('status').filter({ hasText: / ms$/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Spare' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await drawer.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Spare' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove credential' }).click();
    await drawer.getByText('Spare').waitFor({ state: 'detached' });
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
  }, 300_000);

  test('an alias for ordered models is created, shows the answering model, and is deleted', async () => {
    const { page } = root;
    await page.goto('/admin/aliases');
    await page.getByText('No aliases yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add alias' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add an alias' });
    await form.getByRole('button', { name: 'Add alias' }).click();
    await form.getByText('Choose at least one model.').waitFor();
    await form.getByLabel('Name').fill('best');
    const add = form.getByLabel('Add a model');
    await add.fill('no/such');
    await add.press('Enter');
    // Half typed, and chosen from the list: the rest of it is not a model, and the field is free for the next.
    await add.fill('acme/l');
    await page.getByRole('option', { name: /^acme\/large/ }).click();
    expect(await add.inputValue()).toBe('');
    await form.getByText('Model not found').waitFor();
    await form.getByText('Answers now').waitFor();
    await form.getByRole('button', { name: 'Move acme/large up' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add alias' }).click();
    await page.getByText('acme/large, no/such').waitFor();
    const body = { model: 'best', messages: [{ role: 'user', content: 'hi' }] };
    expect((await site.service.post('/v1/chat/completions', body)).status).toBe(200);
    await page.getByRole('button', { name: 'Models behind best' }).click();
    await page.getByText('acme: ready').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Actions for best' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete alias' }).click();
    await page.getByText('No aliases yet').waitFor();
    expect((await site.service.post('/v1/chat/completions', body)).status).toBe(404);
  }, 300_000);

  test('a user adds their own key, and the provider is called with it', async () => {
    const user = await site.register('brenda');
    const { page } = user;
    await page.goto('/own-keys');
    await page.getByText('cost 5 % of the model’s price').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add a provider key' });
    await form.getByLabel('Name').fill('Mine');
    await form.getByLabel(/^Key/).fill(good);
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add and test' }).click();
    await page.getByRole('status').filter({ hasText: / ms$/ }).waitFor();
    expect(keyOf(upstream.last().headers)).toBe(good);
    expect(await page.content()).not.toContain(good);
    await page.getByRole('button', { name: 'Models of Mine' }).click();
    await page.getByText(served.modelId).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Actions for Mine' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove key' }).click();
    await page.getByText('No provider keys').waitFor();
    expect(user.complaints).toEqual([]);
  }, 300_000);

  test('a key gets a new secret, and the old one works until it is ended', async () => {
    const { page, context } = await site.register('rob');
    const made = await context.request.post('/api/tokens', { data: { name: 'ci' } });
    const old = ((await made.json()) as { data: { key: string } }).data.key;
    const works = async (key: string): Promise<number> =>
      (await fetch(`${site.service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    await page.goto('/keys');
    const menu = page.getByRole('button', { name: 'Actions for ci' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    const form = page.getByRole('dialog', { name: 'New secret for ci' });
    await form.getByRole('combobox', { name: 'Keep the old secret valid' }).click();
    await page.getByRole('option', { name: 'For an hour' }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create new secret' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const secret = await shown.getByLabel('API key', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(/^Old secret .* expires /).waitFor();
    expect([await works(old), await works(secret)]).toEqual([200, 200]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Revoke old secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke old secret' }).click();
    await page.getByText(/^Old secret …/).waitFor({ state: 'detached' });
    expect([await works(old), await works(secret)]).toEqual([401, 200]);

    await menu.click();
    await page.getByRole('menuitem', { name: 'Monthly limit' }).click();
    const limit = page.getByRole('dialog', { name: 'Monthly limit of ci' });
    await limit.getByLabel('Each month').fill('12.5');
    await limit.getByText('90%').click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await limit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$0.00 of $12.50 this month').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const { data } = await (await context.request.get('/api/tokens/limits')).json();
    expect(data.limits).toMatchObject([{ amount: 6_250_000, hard: true, alerts: [0.5, 0.8, 0.9, 1] }]);
  }, 300_000);
});
