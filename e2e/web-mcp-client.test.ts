/** A server without client registration: the form takes a client that was registered there by hand, and users or the service sign in with it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SignedInServer, startSignedIn } from '../server/src/mcp/signed-in.fixture.ts';
import { accessibilityFaults, browserMissing, openSite, overflow, type Site } from './browser.ts';

let site: Site;
let theirs: SignedInServer;
/** The folder where the platform would write the token of the service. */
const platform = mkdtempSync(join(tmpdir(), 'svc-platform-'));
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

describe.skipIf(browserMissing)('an MCP server with a client registered by hand', () => {
  beforeAll(async () => {
    theirs = startSignedIn();
    theirs.byHand = { app: 'shown-to-nobody' };
    site = await openSite({ ALLOW_PRIVATE_WEBHOOKS: '1', MCP_ASSERTIONS_DIR: platform });
  }, 300_000);
  afterAll(async () => {
    theirs?.stop();
    await site?.stop();
    rmSync(platform, { recursive: true });
  });

  test('users sign in with the entered client, which is shown as stored', async () => {
    const { page, complaints } = await site.root(phone);
    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Connect a server' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect a server' });
    await form.getByLabel(/^Name/).fill('theirs');
    await form.getByLabel(/^Address/).fill(theirs.url);
    expect(await form.getByLabel('Client ID').count()).toBe(0);
    await form.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'Each user signs in' }).click();
    await form.getByRole('textbox', { name: 'Client secret' }).fill('shown-to-nobody');
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await form.getByText('Enter the client ID.').waitFor();
    await form.getByLabel('Client ID').fill('app');
    const callback = form.getByRole('textbox', { name: 'Callback address' });
    expect(await callback.inputValue()).toBe(`${site.service.url}/api/mcp/authorized`);
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await form.waitFor({ state: 'hidden' });

    await page.goto('/tools');
    await page.getByRole('button', { name: 'Sign in to theirs' }).press('Enter');
    await page.getByText('You are signed in to theirs.').waitFor();
    expect(theirs.registered).toBe(0);

    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Actions for theirs' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit theirs' });
    expect(await edit.getByLabel('Client ID').inputValue()).toBe('app');
    const secret = edit.getByPlaceholder('Stored; leave empty to keep it');
    expect(await secret.inputValue()).toBe('');
    await edit.getByLabel('Client ID').fill('other');
    await edit.getByRole('button', { name: 'Save' }).press('Enter');
    await edit.getByText('Enter the secret again for another client or address.').waitFor();
    expect(await page.content()).not.toContain('shown-to-nobody');

    await edit.getByLabel('The client no longer has a secret').check();
    await edit.getByLabel('Prompts').check();
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await edit.getByRole('button', { name: 'Save' }).press('Enter');
    await edit.waitFor({ state: 'hidden' });
    const { servers } = await site.service.root.api<{ servers: object[] }>('/api/mcp/servers');
    expect(servers).toMatchObject([{ client_id: 'other', has_client_secret: false, offers: ['prompts'] }]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('signs in once for all users with a private key that is not shown again', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    theirs.keys = { robot: publicKey.export({ format: 'jwk' }) };
    const { page, complaints } = await site.root(phone);
    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Connect a server' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect a server' });
    await form.getByLabel(/^Name/).fill('shared');
    await form.getByLabel(/^Address/).fill(theirs.url);
    await form.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'This service signs in' }).click();
    await form.getByLabel('Client ID').fill('robot');
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await form.getByText('Enter a secret or a private key.').waitFor();
    // The service signs in by itself, without a browser.
    expect(await form.getByLabel('Callback address').count()).toBe(0);
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    await form.getByLabel('Private key').fill(pem);
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    // The service is already signed in, so the tools can be allowed.
    await page.getByRole('switch', { name: 'who allowed' }).waitFor();
    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Actions for shared' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit shared' });
    const key = edit.getByRole('textbox', { name: 'Private key' });
    expect([await key.inputValue(), await key.getAttribute('placeholder')]).toEqual([
      '',
      'Stored; leave empty to keep it',
    ]);
    await edit.getByRole('button', { name: 'Save' }).press('Enter');
    await edit.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(pem.split('\n')[1]!);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('needs no client if the service exchanges a platform token', async () => {
    theirs.byHand = null;
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const parts = [{ alg: 'RS256' }, { aud: new URL(theirs.url).origin, exp }, 'signed'];
    const token = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    writeFileSync(join(platform, 'wiki-token'), token);
    theirs.assertions.add(token);
    const { page, complaints } = await site.root(phone);
    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Connect a server' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect a server' });
    await form.getByLabel(/^Name/).fill('wiki');
    await form.getByLabel(/^Address/).fill(theirs.url);
    await form.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'Platform token' }).click();
    await form.getByLabel('Token file').fill('../wiki-token');
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await form.getByText('Enter a file name without its directory.').waitFor();
    await form.getByLabel('Token file').fill('wiki-token');
    expect([await overflow(page), await accessibilityFaults(page)]).toEqual([0, []]);
    await form.getByRole('button', { name: 'Connect' }).press('Enter');
    await page.getByRole('switch', { name: 'who allowed' }).waitFor();
    await page.goto('/admin/mcp');
    await page.getByRole('button', { name: 'Actions for wiki' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit wiki' });
    expect(await edit.getByLabel('Token file').inputValue()).toBe('wiki-token');
    expect(await page.content()).not.toContain(token);
    expect(complaints).toEqual([]);
  }, 300_000);
});
