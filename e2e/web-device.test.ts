/** The page where the user of a device types the code that it shows, the page of a pushed request, and what an owner asks of clients. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
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

/** Nobody is there: the browser is told what it would have answered. */
const redirectUri = 'http://127.0.0.1:8765/callback';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

let site: Site;
let user: Visitor;
let basic: string;
let clientId: string;

const post = async (path: string, fields: Record<string, string>): Promise<Record<string, string>> => {
  const answer = await fetch(site.service.url + path, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams(fields),
  });
  return (await answer.json()) as Record<string, string>;
};
const start = () => post('/api/oauth2/device_authorization', { scope: 'openid email' });
const poll = (device_code: string) => post('/api/oauth2/token', { grant_type: deviceGrant, device_code });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe.skipIf(browserMissing)('device codes', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
    const body = { name: 'Television', redirect_uris: [redirectUri], scopes: 'openid email' };
    const made = await site.service.root.api<{ client_id: string; client_secret_plain: string }>(
      '/api/oauth2/applications',
      { method: 'POST', body },
    );
    clientId = made.client_id;
    basic = `Basic ${btoa(`${clientId}:${made.client_secret_plain}`)}`;
    user = await site.register('tess', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  }, 300_000);
  afterAll(async () => {
    await site?.stop();
    expect(user?.complaints ?? []).toEqual([]);
  });

  test('a code is entered and approved by keyboard alone, on a phone in the dark scheme', async () => {
    const { page } = user;
    const { device_code, user_code } = await start();
    await page.goto('/device');
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    expect(await button(page, 'Continue').isDisabled()).toBe(true);
    await page.getByLabel('Code').fill('bbbb bbbb');
    await page.keyboard.press('Enter');
    await page.getByText('This code does not exist or has expired.').waitFor();
    expect([await accessibilityFaults(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByLabel('Code').fill(user_code!.replace('-', '').toLowerCase());
    expect(await page.getByLabel('Code').inputValue()).toBe(user_code!);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connect Television' }).waitFor();
    await page.getByText('See your email address and whether it is verified').waitFor();
    // Compared with the device before anything is answered: seen without scrolling.
    const code = await page.getByText(user_code!, { exact: true }).boundingBox();
    expect(code!.y + code!.height).toBeLessThan(400);
    expect([await accessibilityFaults(page), await overflow(page)]).toEqual([[], 0]);
    // A stray Enter must not agree.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BUTTON');
    await button(page, 'Allow').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect((await poll(device_code!)).access_token).toStartWith('svcat_');
  }, 300_000);

  test('a link carries the code through a login; denying works', async () => {
    const { page, complaints } = await site.visit();
    const given = await start();
    await page.goto(given.verification_uri_complete!);
    await page.waitForURL('**/login?next=*');
    await page.getByLabel('Username').fill('tess');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('tess'));
    await button(page, 'Log in').click();
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    expect(await page.getByLabel('Code').inputValue()).toBe(given.user_code!);
    await button(page, 'Continue').click();
    await button(page, 'Deny').click();
    await page.getByRole('heading', { name: 'Your device was not connected' }).waitFor();
    expect((await poll(given.device_code!)).error).toBe('access_denied');
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a pushed request is shown after a login, and no longer once it is answered', async () => {
    const { page } = await site.visit();
    const push = { response_type: 'code', redirect_uri: redirectUri, scope: 'openid', state: 'kept' };
    const { request_uri } = await post('/api/oauth2/par', push);
    const address = `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request_uri: request_uri! })}`;
    await page.goto(address);
    await page.waitForURL('**/login?next=*');
    await page.getByLabel('Username').fill('tess');
    await page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('tess'));
    await button(page, 'Log in').click();
    await page.getByRole('heading', { name: 'Authorize Television' }).waitFor();
    await page.reload();
    await button(page, 'Allow').waitFor();
    await page.route(`${redirectUri}*`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Arrived</title>' }),
    );
    await button(page, 'Allow').click();
    await page.waitForURL((url) => url.pathname === '/callback');
    expect(new URL(page.url()).searchParams.get('state')).toBe('kept');
    await page.goto(address);
    await page.getByRole('heading', { name: 'This request cannot be processed' }).waitFor();
  }, 300_000);

  test('the owner requires pushed requests and key-bound tokens', async () => {
    const { page } = await site.register('olga');
    await page.goto('/applications/new');
    await page.getByLabel('Name', { exact: false }).first().fill('Strict');
    await page.getByLabel('Redirect address 1').fill(redirectUri);
    await button(page, 'Register application').click();
    await button(page, 'I have saved it').click();
    await page.waitForURL(/applications\/\d+$/);
    await button(page, 'OpenID Connect').click();
    await page.getByRole('switch', { name: 'Require pushed authorization requests' }).click();
    await page.getByRole('switch', { name: 'Require key-bound tokens' }).click();
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await page.getByRole('button', { name: /^Save/ }).click();
    const { data } = (await (await saved).json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ require_pushed_requests: true, dpop_bound_access_tokens: true });
  }, 300_000);

  test('the owner replaces the secret by keys, by a key address, and by a secret again', async () => {
    const { page, complaints } = await site.register('kim');
    await page.goto('/applications/new');
    await page.getByLabel('Name', { exact: false }).first().fill('Signing');
    await page.getByLabel('Redirect address 1').fill(redirectUri);
    await button(page, 'Register application').click();
    await button(page, 'I have saved it').click();
    await page.waitForURL(/applications\/\d+$/);
    const choose = (name: string) => page.getByRole('radio', { name, exact: true }).check();
    const save = async () => {
      const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
      await page.getByRole('button', { name: /^Save/ }).click();
      const answer = await saved;
      return (await answer.json()) as { message?: string; data: Record<string, unknown> };
    };
    await choose('Keys entered here');
    await page.getByText('The client secret will stop working').waitFor();
    await page.getByLabel('Public keys').fill('no keys');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('Paste a JSON Web Key Set, an object with a list called keys.').waitFor();
    expect([await accessibilityFaults(page), await overflow(page)]).toEqual([[], 0]);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const textOf = (key: typeof publicKey) => JSON.stringify({ keys: [key.export({ format: 'jwk' })] });
    await page.getByLabel('Public keys').fill(textOf(privateKey));
    const signing = { token_endpoint_auth_method: 'private_key_jwt' };
    expect((await save()).message).toContain('public keys only');
    await page.getByText('The application was not saved').waitFor();
    await page.getByLabel('Public keys').fill(textOf(publicKey));
    expect((await save()).data).toMatchObject({ ...signing, jwks: JSON.parse(textOf(publicKey)) });
    await page.getByText('it authenticates with signatures of its private keys').waitFor();
    await page.getByText('client.PrivateKeyJwt(').waitFor();
    expect(await button(page, 'Rotate client secret').count()).toBe(0);
    await choose('Keys at an address');
    await page.getByLabel('Public key address').fill('https://keys.example/jwks');
    expect((await save()).data).toMatchObject({ ...signing, jwks: null, jwks_uri: 'https://keys.example/jwks' });
    await choose('Client secret');
    expect((await save()).data).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic', jwks_uri: '' });
    await button(page, 'Rotate client secret').waitFor();
    // The one request that was refused, as it should be.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  }, 300_000);

  test('an application registered with keys gets no secret', async () => {
    const { page, complaints } = await site.register('kay');
    await page.goto('/applications/new');
    await page.getByLabel('Name', { exact: false }).first().fill('Signing from the start');
    await page.getByLabel('Redirect address 1').fill(redirectUri);
    await page.getByRole('radio', { name: 'Keys entered here', exact: true }).check();
    await button(page, 'Register application').click();
    await page.getByText('Paste a JSON Web Key Set, an object with a list called keys.').waitFor();
    expect([await accessibilityFaults(page), await overflow(page)]).toEqual([[], 0]);
    const jwks = { keys: [generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })] };
    await page.getByLabel('Public keys').fill(JSON.stringify(jwks));
    const made = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await button(page, 'Register application').click();
    const { data } = (await (await made).json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', jwks, client_secret_plain: '' });
    await page.waitForURL(/applications\/\d+$/);
    await page.getByText('it authenticates with signatures of its private keys').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
