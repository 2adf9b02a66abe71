/** The consent page for clients that nobody registered, in a browser: what a user is told before allowing a stranger's program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type McpTestServer, startMcp, type Tested } from '../server/src/mcp/mcp.fixture.ts';
import {
  accessibilityFaults,
  browserMissing,
  openSite,
  overflow,
  passwordOf,
  type Site,
  type Visitor,
} from './browser.ts';

const challenge = new Bun.CryptoHasher('sha256').update('v'.repeat(50)).digest('base64url');

let site: Site;
let documents: Bun.Server<unknown>;
let documentUrl: string;
let redirectUri: string;
let notes: McpTestServer;

describe.skipIf(browserMissing)('clients without registration', () => {
  beforeAll(async () => {
    documents = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.startsWith(redirectUri)
          ? new Response('<!doctype html><title>Arrived</title>', { headers: { 'content-type': 'text/html' } })
          : Response.json({ client_id: url, client_name: 'Notes for agents', redirect_uris: [redirectUri] }),
    });
    redirectUri = `http://127.0.0.1:${documents.port}/callback`;
    documentUrl = `http://127.0.0.1:${documents.port}/a-client-with-a-rather-long-address/metadata.json`;
    site = await openSite({ OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' });
    const body = { key: 'OAuth2DynamicRegistration', value: true };
    await site.service.root.api('/api/admin/options', { method: 'PUT', body });
    await connectNotes();
  });
  afterAll(async () => {
    await site.stop();
    await documents.stop(true);
    notes.stop();
  });

  /** A server with more tools than are shown at once, all of them allowed. */
  const connectNotes = async () => {
    const tools = Array.from({ length: 8 }, (_, i) => ({
      name: `note_${i}`,
      description: `Keeps <b>${i}</b>.\nMore.`,
    }));
    notes = startMcp(tools);
    const { api } = site.service.root;
    const body = { name: 'notes', url: notes.url, audience: 'everyone' };
    const { id } = await api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
    const tested = await api<Tested>(`/api/mcp/servers/${id}/test`, { method: 'POST' });
    const allow = tested.tools.map(({ name, definition }) => ({ name, definition }));
    await api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: allow } });
  };

  const authorizePath = (clientId: string): string => {
    const request = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'openid profile' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', state: 's' },
    });
    for (const path of ['/mcp/notes', '/v1']) request.append('resource', `${site.service.url}${path}`);
    return `/oauth2/authorize?${request}`;
  };
  const textOf = ({ page }: Visitor) => page.locator('main').innerText();
  const allowed = async ({ page }: Visitor): Promise<URL> => {
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL((url) => url.href.startsWith(redirectUri));
    return new URL(page.url());
  };

  test('prompt=login keeps the current session until the user has logged in again', async () => {
    const user = await site.register('again');
    const self = async () => (await user.page.request.get(`${site.service.url}/api/user/self`)).status();
    const before = (await user.page.context().cookies()).find(({ name }) => name === 'svc_session')!.value;
    await user.open(`${authorizePath(documentUrl)}&prompt=login`);
    await user.page.getByRole('heading', { name: 'Log in to svc' }).waitFor();
    expect(await self()).toBe(200);
    await user.page.getByLabel('Username').fill('again');
    await user.page.getByRole('textbox', { name: 'Password' }).fill(passwordOf('again'));
    await user.page.getByRole('button', { name: 'Log in', exact: true }).click();
    const back = await allowed(user);
    expect(back.searchParams.has('code')).toBe(true);
    const headers = { cookie: `svc_session=${before}` };
    expect((await fetch(`${site.service.url}/api/user/self`, { headers })).status).toBe(401);
    expect(await self()).toBe(200);
  });

  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)(
    'the consent screen names the host of an unregistered client, at %d pixels',
    async (width, colorScheme) => {
      const user = await site.register(`reader-${width}`, { viewport: { width, height: 900 }, colorScheme });
      await user.open(authorizePath(documentUrl));
      const { host } = new URL(documentUrl);
      const text = await textOf(user);
      for (const said of ['Notes for agents', `from ${host}`, 'not registered with us', 'Can be used only at'])
        expect(text).toContain(said);
      for (const path of ['/mcp/notes', '/v1']) expect(text).toContain(`${site.service.url}${path}`);
      expect(text).toContain('all tools, currently 8 tools');
      await user.page.getByText('Show 8 tools').click();
      await user.page.getByText('Keeps <b>7</b>.').waitFor();
      expect(await overflow(user.page)).toBe(0);
      expect(await accessibilityFaults(user.page)).toEqual([]);
      const back = await allowed(user);
      expect([back.searchParams.get('state'), back.searchParams.has('code')]).toEqual(['s', true]);
      await user.open('/authorized-apps');
      expect(await textOf(user)).toContain(`from ${host}`);
      // Allowed before, and asked again all the same: it names what it will use.
      await user.open(authorizePath(documentUrl));
      expect(await textOf(user)).toContain('asked each time');
      expect(user.complaints).toEqual([]);
    },
  );

  test('a client first seen in a pushed request gets the same consent screen', async () => {
    const clientId = `${documentUrl}?pushed`;
    const answer = await fetch(`${site.service.url}/api/oauth2/par`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'openid profile' },
        ...{ code_challenge: challenge, code_challenge_method: 'S256', state: 'p' },
      }),
    });
    expect(answer.status).toBe(201);
    const { request_uri } = (await answer.json()) as { request_uri: string };
    const user = await site.register('pushed');
    await user.open(`/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request_uri })}`);
    const text = await textOf(user);
    for (const said of ['Notes for agents', `from ${new URL(documentUrl).host}`, 'not registered with us'])
      expect(text).toContain(said);
    const back = await allowed(user);
    expect([back.searchParams.get('state'), back.searchParams.has('code')]).toEqual(['p', true]);
    expect(user.complaints).toEqual([]);
  });

  test('the consent screen says that a client registered itself', async () => {
    const answer = await fetch(`${site.service.url}/api/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Some program', redirect_uris: [redirectUri] }),
    });
    const { client_id } = (await answer.json()) as { client_id: string };
    const user = await site.register('reader');
    await user.open(authorizePath(client_id));
    expect(await textOf(user)).toContain('registered itself');
    expect((await allowed(user)).searchParams.has('code')).toBe(true);
    const root = await site.root();
    await root.open('/admin/applications');
    const listed = await textOf(root);
    for (const said of ['No owner', `from ${new URL(documentUrl).host}`]) expect(listed).toContain(said);
    expect(root.complaints).toEqual([]);
  });
});
