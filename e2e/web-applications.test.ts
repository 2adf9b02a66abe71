/** An application from its registration through consents to its deletion: its developer, its users, and who vouches for it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  accessibilityFaults,
  browserMissing,
  openSite,
  overflow,
  passwordOf,
  type Site,
  type Visitor,
} from './browser.ts';

/** An application of somebody else: takes what the browser is sent back with. */
function startReceiver() {
  const arrivals: URL[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const url = new URL(request.url);
      if (url.pathname === '/callback') arrivals.push(url);
      return new Response('<!doctype html><title>Arrived</title>', { headers: { 'content-type': 'text/html' } });
    },
  });
  const redirectUri = `http://127.0.0.1:${server.port}/callback?tenant=1`;
  return { redirectUri, last: () => arrivals.at(-1)!.searchParams, stop: () => server.stop(true) };
}

// Reserved, non-ASCII and doubly encoded characters: what comes back must be the same.
const state = 'a b+c&d=e/ü%20"\'';
const verifier = 'v'.repeat(50);
const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url');

let site: Site;
let receiver: ReturnType<typeof startReceiver>;
let owner: Visitor;
let user: Visitor;
let clientId: string;
let secret: string;

const authorizePath = (changes: Record<string, string> = {}): string => {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: receiver.redirectUri,
    scope: 'openid email',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  return `/oauth2/authorize?${new URLSearchParams(parameters)}`;
};

async function exchange(code: string): Promise<{ access_token: string; scope: string }> {
  const response = await fetch(`${site.service.url}/api/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: receiver.redirectUri,
      code_verifier: verifier,
    }),
  });
  expect(response.status).toBe(200);
  return response.json() as Promise<{ access_token: string; scope: string }>;
}

const arrived = (page: Page) => page.waitForURL((url) => url.pathname === '/callback');

describe.skipIf(browserMissing)('signing in to an application', () => {
  beforeAll(async () => {
    receiver = startReceiver();
    site = await openSite();
    owner = await site.register('ada');
  }, 300_000);
  afterAll(async () => {
    receiver?.stop();
    await site?.stop();
    expect([owner, user].flatMap((visitor) => visitor?.complaints ?? [])).toEqual([]);
  });

  test('the developer registers an application and sees its secret once', async () => {
    const { page } = owner;
    await page.goto('/applications');
    await page.getByText('No applications yet').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'New application' }).first().click();
    await page.getByLabel('Name', { exact: false }).first().fill('Notes');
    await page.getByLabel('Redirect address 1').fill('http://notes.example/cb');
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByText('Use https; http is allowed for localhost only.').waitFor();
    await page.getByLabel('Redirect address 1').fill(receiver.redirectUri);
    await page.getByRole('checkbox', { name: 'Email address' }).check();
    await page.getByRole('checkbox', { name: 'Balance and usage' }).check();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview consent screen' }).click();
    const preview = page.getByRole('dialog', { name: 'Consent screen preview' });
    // Of what is in the form, though nothing is saved yet.
    for (const words of ['Notes', 'See your email address', 'We have not verified who runs this application'])
      await preview.getByText(words, { exact: false }).first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await preview.getByRole('button', { name: 'Allow' }).click();
    await preview.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Register application' }).click();
    const shown = page.getByRole('dialog', { name: 'Your client secret' });
    secret = await shown.getByLabel('Client secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^svcsec_\w{48}$/);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { name: 'Notes', level: 1 }).waitFor();
    clientId = await page.getByLabel('Client ID', { exact: true }).inputValue();
    expect(clientId).toMatch(/^svc_\w{32}$/);
    await page.getByText('client.discovery(').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.content()).not.toContain(secret);
  }, 300_000);

  test('a user logs in, agrees, and the application gets a code', async () => {
    const { context } = await site.register('bob');
    await context.close();
    user = await site.visit();
    const { page } = user;
    await page.goto(authorizePath());
    await page.waitForURL('**/login?next=*');
    await page.getByLabel('Username').fill('bob');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('bob'));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Authorize Notes' }).waitFor();
    expect(await page.getByText('Signed in as bob').count()).toBe(1);
    expect(await page.getByText('See your email address and whether it is verified').count()).toBe(1);
    expect(await page.getByText('We have not verified').count()).toBe(1);
    expect(await page.getByText(new URL(receiver.redirectUri).host, { exact: true }).count()).toBe(1);
    // A stray Enter must not agree.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BUTTON');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrived(page);
    const back = receiver.last();
    expect(back.get('state')).toBe(state);
    expect(back.get('iss')).toBe(site.service.url);
    expect(back.get('tenant')).toBe('1');
    const { access_token, scope } = await exchange(back.get('code')!);
    expect(scope).toBe('openid email');
    const me = await fetch(`${site.service.url}/api/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(await me.json()).toMatchObject({ username: 'bob' });
  }, 300_000);

  test('additional scopes are asked for and marked as new, and the user can deny them', async () => {
    const { page } = user;
    await page.goto(authorizePath({ scope: 'openid email usage:read' }));
    await page.getByText('Notes asks for more access than you have allowed so far').waitFor();
    const marked = page.getByRole('listitem').filter({ hasText: 'New' });
    expect(await marked.allInnerTexts()).toEqual([expect.stringContaining('Balance and usage')]);
    await page.getByRole('button', { name: 'Deny' }).click();
    await arrived(page);
    expect(receiver.last().get('error')).toBe('access_denied');
    expect(receiver.last().get('state')).toBe(state);
    expect(receiver.last().has('code')).toBe(false);
  }, 300_000);

  test('a verified application skips the question if everything was allowed before', async () => {
    const { page } = user;
    await page.goto(authorizePath());
    await page.getByText('You have already allowed this application').waitFor();
    const admin = await site.root();
    await admin.page.goto('/admin/applications');
    await admin.page.getByRole('button', { name: 'Actions for Notes' }).click();
    await admin.page.getByRole('menuitem', { name: 'Verify' }).click();
    await admin.page.getByText('Notes is verified').waitFor();
    await admin.page.close();
    await page.goto(authorizePath());
    await arrived(page);
    expect(receiver.last().get('code')).toMatch(/^\w{40}$/);
    await page.goto(authorizePath({ scope: 'openid usage:read' }));
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await page.getByText('Verified', { exact: true }).count()).toBe(1);
  }, 300_000);

  test('untrusted requests end in an error page; other errors return to the application', async () => {
    const { page } = user;
    const faults: Record<string, string>[] = [
      { client_id: 'svc_nobody' },
      { redirect_uri: 'https://evil.example/callback' },
    ];
    for (const changes of faults) {
      await page.goto(authorizePath(changes));
      await page.getByRole('heading', { name: 'This request cannot be processed' }).waitFor();
      expect(new URL(page.url()).origin).toBe(site.service.url);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${authorizePath()}&state=twice`);
    await arrived(page);
    expect([receiver.last().get('error'), receiver.last().has('state')]).toEqual(['invalid_request', false]);
    await page.goto(authorizePath({ scope: 'openid tokens:write' }));
    await arrived(page);
    expect(receiver.last().get('error')).toBe('invalid_scope');
    expect(receiver.last().get('state')).toBe(state);
  }, 300_000);

  test('another user can switch accounts in the same browser', async () => {
    const other = await site.register('cyd');
    await other.page.goto(authorizePath());
    await other.page.getByText('Signed in as cyd').waitFor();
    await other.page.getByRole('button', { name: 'Not you? Switch account' }).click();
    await other.page.getByLabel('Username').fill('bob');
    await other.page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('bob'));
    await other.page.getByRole('button', { name: 'Log in' }).click();
    await arrived(other.page);
    expect(receiver.last().get('state')).toBe(state);
    await other.context.close();
  }, 300_000);

  test('the user revokes the access', async () => {
    const { page } = user;
    await page.goto(authorizePath());
    await arrived(page);
    const { access_token } = await exchange(receiver.last().get('code')!);
    await page.goto('/authorized-apps');
    await page.getByText('Email address').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke access for Notes' }).click();
    await page.getByRole('button', { name: 'Revoke access', exact: true }).click();
    await page.getByText('No application has access').waitFor();
    const me = await fetch(`${site.service.url}/api/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(me.status).toBe(401);
  }, 300_000);

  test('an application that uses models gets a spending limit, which can be changed; its keys can be deleted with its access', async () => {
    const turn = (value: boolean) =>
      site.service.root.api('/api/admin/options', { method: 'PUT', body: { key: 'OAuth2OpenIDConnect', value } });
    const setScopes = (scopes: string) =>
      owner.page.evaluate(async (wanted) => {
        const { data } = await (await fetch('/api/oauth2/applications')).json();
        await fetch(`/api/oauth2/applications/${data.applications[0].id}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ scopes: wanted }),
        });
      }, scopes);
    await turn(true);
    await setScopes('openid email usage:read models:use tokens:write');
    const { page } = user;
    await page.goto(authorizePath({ scope: 'openid models:use tokens:write' }));
    const amount = page.getByLabel('Spending limit', { exact: true });
    await amount.fill('');
    expect(await page.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true);
    await amount.fill('2.5');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).click();
    await arrived(page);
    const { access_token, scope } = await exchange(receiver.last().get('code')!);
    expect(scope).toBe('openid models:use tokens:write');
    const made = await fetch(`${site.service.url}/api/oauth2/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Created by Notes' }),
    });
    expect(made.status).toBe(200);
    await page.goto('/keys');
    await page.getByText('Created by Notes', { exact: true }).last().waitFor();
    await page.getByRole('link', { name: 'Notes' }).click();
    await page.waitForURL('**/authorized-apps');
    await page.getByText('$0.00 of $2.50').waitFor();
    await page.getByRole('button', { name: 'Change the spending limit of Notes' }).click();
    await page.getByLabel('Spending limit', { exact: true }).fill('4');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$0.00 of $4.00').waitFor();
    await page.getByRole('button', { name: 'Revoke access for Notes' }).click();
    const withKeys = page.getByRole('checkbox', { name: 'Also delete the API key that it created for you' });
    expect(await withKeys.isChecked()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke access', exact: true }).click();
    await page.getByText('No application has access').waitFor();
    const { data: keys } = await (await user.context.request.get(`${site.service.url}/api/tokens`)).json();
    expect(keys).toEqual([]);
    await setScopes('openid email usage:read');
    await turn(false);
  }, 300_000);

  test('both buttons are in view with many scopes, on phones and desktops', async () => {
    const { api } = site.service.root;
    const turn = (value: boolean) =>
      api('/api/admin/options', { method: 'PUT', body: { key: 'OAuth2OpenIDConnect', value } });
    await turn(true);
    const scopes = 'openid profile email tokens:read tokens:write usage:read models:use';
    const described = { name: 'Everything', description: 'Writes, reads and keeps whatever there is. '.repeat(11) };
    const body = { ...described, redirect_uris: [receiver.redirectUri], scopes };
    const { client_id } = await api<{ client_id: string }>('/api/oauth2/applications', { method: 'POST', body });
    const { page } = user;
    await page.goto(authorizePath({ client_id, scope: scopes }));
    for (const viewport of [
      { width: 390, height: 664 },
      { width: 1280, height: 720 },
    ]) {
      await page.setViewportSize(viewport);
      await page.evaluate(() => window.scrollTo(0, 0));
      // With the beginning of what is asked for, and with what it may cost.
      const deny = page.getByRole('button', { name: 'Deny' });
      const title = page.getByText('Who you are', { exact: true });
      expect((await title.boundingBox())!.y).toBeLessThan((await deny.boundingBox())!.y - 80);
      for (const part of [
        title,
        page.getByText('Signed in as bob'),
        page.getByText('It may spend up to $5.00 in total'),
        deny,
        page.getByRole('button', { name: 'Allow' }),
      ]) {
        const { y, height } = (await part.boundingBox())!;
        expect(y >= 0 && y + height <= viewport.height).toBe(true);
      }
      expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
      // Whatever is reached by keyboard is not left behind them.
      const amount = page.getByLabel('Spending limit', { exact: true });
      await deny.focus();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      expect((await amount.boundingBox())!.y).toBeLessThan(
        (await page.getByRole('button', { name: 'Allow' }).boundingBox())!.y,
      );
    }
    await turn(false);
  }, 300_000);

  test('the developer edits the application, rotates both secrets and deletes it', async () => {
    const { page } = owner;
    await page.goto('/applications');
    await page.getByRole('link', { name: 'Manage Notes' }).click();
    await page.getByLabel('Description').fill('Takes notes');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Application saved').waitFor();
    await page.getByRole('button', { name: 'Rotate client secret' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const shown = page.getByRole('dialog', { name: 'New client secret' });
    expect(await shown.getByLabel('Client secret', { exact: true }).inputValue()).not.toBe(secret);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    const webhook = page.getByRole('textbox', { name: 'Webhook secret' });
    expect(await webhook.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Show: Webhook secret' }).click();
    await page.getByRole('button', { name: 'Copy Webhook secret' }).waitFor();
    const before = await webhook.inputValue();
    await page.getByRole('button', { name: 'Rotate webhook secret' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('Webhook secret rotated').waitFor();
    expect(await webhook.inputValue()).not.toBe(before);
    await page.getByRole('button', { name: 'Delete application' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete application' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type Notes to confirm').fill('Notes');
    await confirm.click();
    await page.getByText('No applications yet').waitFor();
  }, 300_000);

  test('editing a verified application warns that it loses its verification', async () => {
    const body = { name: 'Trusted', redirect_uris: ['https://app.example/callback'], scopes: 'openid' };
    const { api } = site.service.root;
    const { id } = await api<{ id: number }>('/api/oauth2/applications', { method: 'POST', body });
    await api('/api/oauth2/admin/applications/verify', { method: 'POST', body: { app_id: id } });
    const { page, complaints } = await site.root();
    await page.goto(`/applications/${id}`);
    await page.getByText('Verified', { exact: true }).waitFor();
    const warning = page.getByText('The verification will be withdrawn');
    await page.getByLabel('Webhook address').fill('https://app.example/hook');
    expect(await warning.count()).toBe(0);
    await page.getByLabel('Homepage').fill('https://elsewhere.example/');
    await warning.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Application saved').waitFor();
    await page.getByText('Verified', { exact: true }).waitFor({ state: 'detached' });
    expect(await api(`/api/oauth2/applications/${id}`)).toMatchObject({ is_verified: false });
    expect(complaints).toEqual([]);
  }, 300_000);
});
