/** An organisation in the browser: made, shared, limited, used up, and closed. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type McpTestServer, startMcp } from '../server/src/mcp/mcp.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site, type Visitor } from './browser.ts';
import { says } from './relay-replies.ts';
import { until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let site: Site;
let upstream: Upstream;
let wiki: McpTestServer;
let owner: Visitor;
let member: Visitor;
let model = '';
let link = '';
let teamKey = '';
let ownKey = '';

/** What each request costs: 0.0002 dollars. */
const price = 100;
const long = 'ארגון '.repeat(8) + 'W'.repeat(16);

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = async ({ page, settled }: Visitor, name: string) => {
  await page.getByRole('tab', { name, exact: true }).click();
  await settled();
};
const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

/** As whoever followed the link of a mail; there is no mail here. */
function verifyAddress(username: string, email: string): void {
  const file = new Database(join(site.service.dataDir, 'svc.db'));
  file.run('pragma busy_timeout = 30000');
  file.run('update users set email = ?, email_verified = 1 where username = ?', [email, username]);
  file.close();
}

async function ask(key: string): Promise<{ status: number; message: string }> {
  const answer = await site.service.post(
    '/v1/chat/completions',
    { model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
    { key },
  );
  const { error } = (await answer.json()) as { error?: { message: string } };
  return { status: answer.status, message: error?.message ?? '' };
}

describe.skipIf(browserMissing)('organisations', () => {
  beforeAll(async () => {
    site = await openSite({ ALLOW_PRIVATE_WEBHOOKS: '1' });
    wiki = startMcp([{ name: 'look_up', description: 'Looks something up.', answer: () => 'found in the wiki' }]);
    upstream = startUpstream(says('openai', { text: 'fine' }));
    const served = { kind: 'openai', url: upstream.url, requestPrice: price / 500_000 } as const;
    model = (await site.service.serve(served)).modelId;
    owner = await site.register('olga');
    member = await site.visit({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    upstream?.stop();
    wiki?.stop();
    expect([...(owner?.complaints ?? []), ...(member?.complaints ?? [])]).toEqual([]);
  });

  test('the owner creates an organisation and a team, and invites a member', async () => {
    const { page, open } = owner;
    await open('/organisations');
    await page.getByText('You are not in any organisation').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await button(page, 'New organisation').first().click();
    const form = dialog(page, 'New organisation');
    await form.getByRole('button', { name: 'Create organisation' }).click();
    await form.getByText('Give the organisation a name.').waitFor();
    await form.getByLabel('Name').fill('Acme');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create organisation' }).click();
    await page.getByRole('heading', { name: 'Acme' }).waitFor();

    await tab(owner, 'Teams');
    await page.getByText('No teams yet').waitFor();
    for (const name of ['Research', long]) {
      await button(page, 'New team').first().click();
      await dialog(page, 'New team').getByLabel('Name').fill(name);
      await dialog(page, 'New team').getByRole('button', { name: 'Create team' }).click();
      await page.getByRole('row').filter({ hasText: name.trim() }).waitFor();
    }

    await tab(owner, 'Members');
    await page.getByText('the last owner').waitFor();
    await button(page, 'Actions for olga').click();
    expect(await page.getByRole('menuitem', { name: 'Remove' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    // However many members there are, whoever comes to invite somebody need not look for the end of them.
    const top = async (name: string) => (await button(page, name).boundingBox())!.y;
    expect(await top('Invite')).toBeLessThan(await top('Actions for olga'));
    await button(page, 'Invite').click();
    const invite = dialog(page, 'Invite member');
    await invite.getByLabel('Email').and(page.locator(':focus')).waitFor();
    await choose(page, 'Team', 'Research');
    expect(await accessibilityFaults(page)).toEqual([]);
    await invite.getByRole('button', { name: 'Invite' }).click();
    const shown = dialog(page, 'Share this link');
    link = await shown.getByLabel('Invitation', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('Anyone with the link').waitFor();
    expect(await page.content()).not.toContain(link);
    expect(await accessibilityFaults(page)).toEqual([]);
  }, 300_000);

  test('someone without an account opens the invitation, registers and joins', async () => {
    const { page } = member;
    await page.goto(link);
    await page.getByText('You are invited').waitFor();
    // The secret is in no address, neither here nor on the way.
    expect(page.url()).not.toContain(link.split('#')[1]!);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Username').fill('mo.dark');
    await page.getByLabel('Password').first().fill('a fine password');
    expect(page.url()).not.toContain(link.split('#')[1]!);
    await button(page, 'Create account').click();
    await page.getByText('You are logged in as mo.dark.').waitFor();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await button(page, 'Join').click();
    await page.getByText('Your role: member').waitFor();
    // Once: nobody else gets in by it.
    await page.goto(link);
    await page.getByText('has been used').waitFor();
    await page.getByRole('link', { name: 'Not now' }).click();
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.getByText('Your role: member').waitFor();
    // What to do now; and sums that do not come are not zero.
    await page.getByRole('link', { name: 'create a key' }).click();
    await button(page, 'Create key').first().waitFor();
    await page.route('**/usage?*', (route) => route.fulfill({ status: 403, json: { success: false, message: 'No.' } }));
    await page.goto(page.url().split('?')[0]!);
    await page.getByText('Could not be loaded').first().waitFor();
    expect((await page.locator('.svc-stat').allInnerTexts()).slice(1)).toEqual(['–', '–']);
    await page.unroute('**/usage?*');
    const tabs = await page.getByRole('tab').allInnerTexts();
    expect(tabs).toEqual(['Overview', 'Teams', 'Members', 'Keys', 'Usage']);
  }, 300_000);

  test('keys are created for a team and for a member of a team', async () => {
    const { page, open } = owner;
    const { organisations } = (await (await owner.context.request.get('/api/organisations')).json()).data;
    const { id: memberId } = (await (await member.context.request.get('/api/user/self')).json()).data;
    for (const id of [organisations[0].account_id, memberId])
      await site.service.root.api(`/api/admin/users/${id}/credits`, { method: 'POST', body: { quota: 1_000_000 } });
    await open('/keys');
    await button(page, 'Create key').first().click();
    const form = dialog(page, 'Create a key');
    await form.getByLabel('Name').fill('robot');
    await choose(page, 'Organisation', 'Acme');
    await choose(page, 'Belongs to', 'Team Research');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create key' }).click();
    const shown = dialog(page, 'Your new key');
    teamKey = await shown.getByLabel('API key', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'I have saved it' }).click();

    const own = member.page;
    await tab(member, 'Keys');
    await button(own, 'Create key').click();
    const ownForm = dialog(own, 'Create a key');
    await ownForm.getByLabel('Name').fill('phone');
    expect(await own.getByRole('combobox', { name: 'Belongs to' }).inputValue()).toBe('Me, in team Research');
    await ownForm.getByRole('button', { name: 'Create key' }).click();
    const told = dialog(own, 'Your new key');
    ownKey = await told.getByLabel('API key', { exact: true }).inputValue();
    await told.getByRole('button', { name: 'I have saved it' }).click();
    await own.getByText('in Research').waitFor();
    expect([await overflow(own), await accessibilityFaults(own)]).toEqual([0, []]);
  }, 300_000);

  test('a server is connected for everyone in the organisation, and a member uses its tools', async () => {
    const { page, open } = owner;
    await open('/organisations');
    await page.getByRole('link', { name: 'Acme' }).click();
    await tab(owner, 'Tools');
    await page.getByText('Connecting servers is not allowed').waitFor();
    await site.service.root.api('/api/admin/options', { method: 'PUT', body: { key: 'McpUserServers', value: true } });
    await page.reload();
    await button(page, 'Connect a server').first().click();
    const form = dialog(page, 'Connect a server');
    await form.getByLabel(/^Name/).fill('wiki');
    await form.getByLabel(/^Address/).fill(wiki.url);
    await form.getByLabel('Headers').fill('Authorization: Bearer shown-to-nobody');
    expect(await form.getByLabel('Who can use it').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Connect' }).click();
    const id = Number(/organisations\/(\d+)/.exec(page.url())![1]);
    const name = `wiki_${id}`;
    const tools = dialog(page, `Tools of ${name}`);
    await tools.getByRole('switch', { name: 'look_up allowed' }).press('Space');
    await tools.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 allowed').waitFor();
    expect([await accessibilityFaults(page), (await page.content()).includes('shown-to-nobody')]).toEqual([[], false]);
    // The name stays with it, and does not stand in the way of other changes.
    await button(page, `Actions for ${name}`).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = dialog(page, `Edit ${name}`);
    await edit.getByLabel('Call timeout').fill('30');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Server saved').waitFor();

    const { page: own, open: openOwn } = member;
    await openOwn('/tools');
    await own.getByText('Connected for everyone in Acme').waitFor();
    expect(await button(own, `Actions for ${name}`).count()).toBe(0);
    await button(own, 'Try look_up').click();
    await own.getByRole('dialog').getByRole('button', { name: 'Call tool' }).click();
    await own.getByText('found in the wiki').first().waitFor();
    expect([await overflow(own), await accessibilityFaults(own)]).toEqual([0, []]);
    await tab(owner, 'Activity');
    await page.getByRole('row').filter({ hasText: 'Connected a server' }).filter({ hasText: name }).waitFor();
  }, 300_000);

  test('a person listed by the directory joins, and is removed when the directory deactivates them', async () => {
    const { page } = owner;
    await tab(owner, 'Settings');
    await page.getByText('No directory is connected').waitFor();
    await button(page, 'New token').click();
    const form = dialog(page, 'New token');
    await form.getByRole('button', { name: 'Create token' }).click();
    await form.getByText('Give the token a name.').waitFor();
    await form.getByLabel('Name').fill('Okta');
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create token' }).click();
    const shown = dialog(page, 'Your new token');
    const token = await shown.getByLabel('Directory token', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('row').filter({ hasText: 'Okta' }).filter({ hasText: 'Never' }).waitFor();
    const url = await page.getByLabel('Address', { exact: true }).inputValue();
    expect([await accessibilityFaults(page), (await page.content()).includes(token)]).toEqual([[], false]);
    const say = async (method: string, path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
      const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      return { code: answer.status, ...((await answer.json()) as { id: string }) };
    };
    const { code, id } = await say('POST', '/Users', { userName: 'ida@acme.example', displayName: 'Ida' });
    expect(code).toBe(201);

    const named = await site.register('ida');
    verifyAddress('ida', 'ida@acme.example');
    // As long as a name may be, and without a place to break it.
    const long = 'W'.repeat(64);
    await named.page.setViewportSize({ width: 390, height: 844 });
    await named.page.route('**/api/invitations', async (route) => {
      const answer = await route.fetch();
      const { data } = await answer.json();
      const waiting = [...data.waiting, { organisation_id: 0, organisation: long }];
      await route.fulfill({ json: { success: true, data: { ...data, waiting } } });
    });
    // On the page that opens first: nobody looks among organisations for one they do not know of.
    await named.open('/');
    await named.page.getByText('Acme lists you as a member.').waitFor();
    const place = named.page.locator('.mantine-Alert-root').filter({ hasText: long });
    const cut = await place.evaluate((alert) => alert.scrollWidth - alert.clientWidth);
    expect([cut, await button(named.page, `Join ${long}`).isVisible()]).toEqual([0, true]);
    expect(await accessibilityFaults(named.page)).toEqual([]);
    await button(named.page, 'Join Acme').click();
    await named.page.getByText('Acme says').waitFor({ state: 'detached' });
    await named.open('/organisations');
    await button(named.page, `Join ${long}`).waitFor();
    await named.page.getByRole('link', { name: 'Acme' }).waitFor();
    await tab(owner, 'Members');
    await page.getByRole('row').filter({ hasText: 'ida' }).getByText('Directory').waitFor();
    await say('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] });
    await named.open('/organisations');
    await named.page.getByText('You are not in any organisation').waitFor();
    expect(named.complaints).toEqual([]);

    await tab(owner, 'Settings');
    await page.reload();
    await page.getByText('The directory lists 1 person; 0 joined.').waitFor();
    await button(page, 'Actions for Okta').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog(page, 'Remove Okta?').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No directory is connected').waitFor();
    expect((await say('POST', '/Users', { userName: 'x' })).code).toBe(401);
  }, 300_000);

  test('a used-up budget rejects requests, with a message that owner and member see', async () => {
    const { page, open } = owner;
    await open('/organisations');
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    await tab(owner, 'Budgets');
    await button(page, 'New budget').click();
    const form = dialog(page, 'New budget');
    await choose(page, 'Applies to', 'Research');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the maximum amount.').waitFor();
    await form.getByLabel('Maximum spend').fill(String(price / 500_000));
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'Team Research' }).waitFor();

    await button(page, 'New limit').click();
    const limit = dialog(page, 'New limit');
    await limit.getByLabel('Requests per minute').fill('500');
    await limit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Limits' }).getByText('500').waitFor();

    expect((await ask(teamKey)).status).toBe(200);
    const refused = await ask(ownKey);
    expect(refused.status).toBe(403);
    expect(refused.message).toContain('The budget of this team, $0.0002 a month,');

    const id = Number(/organisations\/(\d+)/.exec(page.url())![1]);
    await until('it is told', async () => {
      const answer = await owner.context.request.get(`/api/organisations/${id}/warnings`);
      return (await answer.json()).data.warnings.some(({ share }: { share: number }) => share === 1);
    });
    await open(`/organisations/${id}`);
    await page.getByText('Requests are rejected', { exact: true }).waitFor();
    await page.getByText('The budget of Team Research ($0.0002 per month) is used up.').waitFor();
    await page.getByText('100 % of the budget of $0.0002 per month').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const { page: own, open: openOwn } = member;
    await openOwn(`/organisations/${id}`);
    await own.getByText('The budget of Team Research ($0.0002 per month) is used up.').waitFor();
    // What governs their requests besides money, though they may not change it.
    const limits = own.getByRole('region', { name: 'Limits' });
    await limits.getByText('500').waitFor();
    expect(await limits.getByRole('button').count()).toBe(0);
    expect([await overflow(own), await accessibilityFaults(own)]).toEqual([0, []]);
    await openOwn('/usage?show=failed');
    await own.getByText('The budget of this team, $0.0002 a month,').first().waitFor();
  }, 300_000);

  test('every section fits a phone in the dark scheme, and the accounting export downloads', async () => {
    const { page } = owner;
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of ['Overview', 'Teams', 'Members', 'Budgets', 'Keys', 'Tools', 'Usage', 'Activity', 'Settings']) {
      await tab(owner, name);
      expect([name, await overflow(page), await accessibilityFaults(page)]).toEqual([name, 0, []]);
    }
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 1280, height: 844 });
    await tab(owner, 'Usage');
    await page.getByRole('row').filter({ hasText: 'robot' }).waitFor();
    const month = new Date().toISOString().slice(0, 7);
    await page.getByLabel('Month').fill(month);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const lines = (await Bun.file((await (await saved).path())!).text()).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(',team,');
    expect(lines[1]).toContain('Research');
    await page.getByText('Routing decisions', { exact: true }).click();
    await page
      .getByRole('button', { name: /^Details of/ })
      .first()
      .waitFor();
    await choose(page, 'Level', 'mo.dark');
    await page.getByText('No routing decisions').waitFor();
  }, 300_000);

  test('a team is deleted with its keys, and the organisation after its name is typed', async () => {
    const { page } = owner;
    await tab(owner, 'Teams');
    await button(page, 'Actions for Research').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const team = dialog(page, 'Delete Research?');
    await team.getByText('1 of the team and 1 of its members').waitFor();
    await team.getByRole('button', { name: 'Delete team' }).click();
    await page.getByText('Research is deleted').waitFor();
    expect((await ask(teamKey)).status).toBe(401);

    await tab(owner, 'Settings');
    await button(page, 'Delete organisation').click();
    const whole = dialog(page, 'Delete Acme?');
    expect(await whole.getByRole('button', { name: 'Delete organisation' }).isDisabled()).toBe(true);
    await whole.getByLabel('Type Acme to confirm').fill('Acme');
    await whole.getByRole('button', { name: 'Delete organisation' }).click();
    await page.getByText('You are not in any organisation').waitFor();
  }, 300_000);
});
