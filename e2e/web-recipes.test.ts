/** The recipes of the guide, each run unchanged: a user signs in with it in a browser, refreshes and logs out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from 'playwright-core';
import { browserMissing, openSite, passwordOf, type Site, type Visitor } from './browser.ts';
import { freePort, until } from './service.ts';

const examples = join(import.meta.dir, '../docs/guides/examples');

let site: Site;
let person: Visitor;

interface Recipe {
  name: string;
  redirectPath: string;
  /** The page where the sign-in starts. */
  login(page: Page, own: string): Promise<unknown>;
  /** The recipe has a page that refreshes the tokens and shows userinfo. */
  refreshes: boolean;
  logout(page: Page, own: string): Promise<unknown>;
  /** Whether logout also ends the session at the service. */
  endsSession: boolean;
}

const byAddress: Omit<Recipe, 'name' | 'refreshes'> = {
  redirectPath: '/callback',
  login: (page, own) => page.goto(`${own}/login`),
  logout: (page, own) => page.goto(`${own}/logout`),
  endsSession: true,
};

const recipes: Recipe[] = [
  { ...byAddress, name: 'openid-client', refreshes: true },
  { ...byAddress, name: 'express-openid-connect', refreshes: true },
  { ...byAddress, name: 'passport', refreshes: false },
  { ...byAddress, name: 'better-auth', redirectPath: '/api/auth/oauth2/callback/svc', refreshes: true },
  {
    name: 'auth-js',
    redirectPath: '/auth/callback/svc',
    login: async (page, own) => {
      await page.goto(`${own}/auth/signin`);
      await page.getByRole('button', { name: 'Sign in with svc' }).click();
    },
    refreshes: false,
    logout: async (page, own) => {
      await page.goto(`${own}/auth/signout`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL((url) => url.pathname !== '/auth/signout');
      await page.goto(own);
    },
    endsSession: false,
  },
];

async function register(own: string, redirectUri: string, fields: Record<string, unknown> = {}) {
  const made = await site.service.root.api<{ client_id: string; client_secret_plain?: string }>(
    '/api/oauth2/applications',
    {
      method: 'POST',
      body: {
        name: 'A recipe',
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [own, `${own}/`],
        scopes: 'openid profile email',
        ...fields,
      },
    },
  );
  return { CLIENT_ID: made.client_id, CLIENT_SECRET: made.client_secret_plain ?? '' };
}

/** Starts a program and waits until it prints its address. */
async function start(file: string, env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, join(examples, file)], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = '';
  while (!/^open \S+\n/m.test(said)) {
    const { value, done } = await output.read();
    if (done) throw new Error(`${file} ended: ${said}`);
    said += value;
  }
  const rest = async () => {
    let text = '';
    for (let piece = await output.read(); !piece.done; piece = await output.read()) text += piece.value;
    return text;
  };
  return { address: /^open (\S+)$/m.exec(said)![1]!, rest, stop: () => child.kill() };
}

/** The user's steps on the pages of the service. */
async function agree(page: Page): Promise<void> {
  const allow = page.getByRole('button', { name: 'Allow' });
  const password = page.getByRole('textbox', { name: 'Password' });
  await allow.or(password).waitFor();
  if (await password.isVisible()) {
    await page.getByLabel('Username').fill('ada');
    await password.fill(passwordOf('ada'));
    await password.press('Enter');
  }
  await allow.click();
}

const shown = async (page: Page): Promise<{ user: Record<string, unknown> | null }> =>
  JSON.parse(await page.locator('pre').innerText());
const isSignedIn = async (): Promise<boolean> => (await person.context.request.get('/api/user/self')).ok();

test('every example program of the guide is tested', () => {
  const others = ['mcp-client.mjs', 'oauth-app.mjs', 'oidc-client-ts.html'];
  expect(readdirSync(examples).toSorted()).toEqual([...recipes.map(({ name }) => `${name}.mjs`), ...others].toSorted());
});

describe.skipIf(browserMissing)('sign-in recipes', () => {
  beforeAll(async () => {
    site = await openSite({ OPENID_CONNECT: '1' });
    const { context } = await site.register('ada');
    await context.request.put('/api/user/self', { data: { display_name: 'Ada Lovelace', email: 'ada@example.com' } });
    await context.close();
    person = await site.visit();
  }, 300_000);
  afterAll(() => site?.stop());

  test.each(recipes.map((recipe) => [recipe.name, recipe] as const))(
    '%s',
    async (name, recipe) => {
      const port = freePort();
      const own = `http://127.0.0.1:${port}`;
      const client = await register(own, `${own}${recipe.redirectPath}`);
      const program = await start(`${name}.mjs`, { ISSUER: site.service.url, PORT: `${port}`, ...client });
      try {
        const { page } = person;
        await recipe.login(page, own);
        await agree(page);
        await page.waitForURL((url) => url.origin === own && !url.searchParams.has('code'));
        await page.goto(own);
        expect(JSON.stringify(await shown(page))).toContain('Ada Lovelace');
        // Twice, because each refresh returns the refresh token for the next.
        for (let time = 0; recipe.refreshes && time < 2; time += 1) {
          await page.goto(`${own}/refresh`);
          expect((await shown(page)).user).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' });
        }
        await recipe.logout(page, own);
        expect([page.url(), await shown(page)]).toEqual([`${own}/`, { user: null }]);
        expect(await isSignedIn()).toBe(!recipe.endsSession);
      } finally {
        program.stop();
      }
    },
    300_000,
  );

  test('oidc-client-ts in the browser', async () => {
    const library = Bun.file(new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')));
    let html = '';
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      routes: {
        '/': () => new Response(html, { headers: { 'content-type': 'text/html' } }),
        '/oidc-client-ts.min.js': () => new Response(library),
      },
    });
    const own = `http://127.0.0.1:${server.port}`;
    const { CLIENT_ID } = await register(own, `${own}/`, { app_type: 'public' });
    html = readFileSync(join(examples, 'oidc-client-ts.html'), 'utf8')
      .replace('http://localhost:3000', site.service.url)
      .replace('svc_…', CLIENT_ID);
    const { page } = person;
    const user = page.locator('#user');
    await page.goto(own);
    await page.getByRole('button', { name: 'Log in' }).click();
    await agree(page);
    await user.filter({ hasText: 'ada@example.com' }).waitFor();
    const renewed = page.waitForResponse((answer) => answer.url().endsWith('/api/oauth2/userinfo'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect((await renewed).status()).toBe(200);
    await page.getByRole('button', { name: 'Log out' }).click();
    await user.filter({ hasText: 'null' }).waitFor();
    expect(await isSignedIn()).toBe(false);
    await server.stop(true);
  }, 300_000);

  describe('MCP clients', () => {
    beforeAll(async () => {
      const body = { key: 'OAuth2DynamicRegistration', value: true };
      await site.service.root.api('/api/admin/options', { method: 'PUT', body });
    });

    test('the client of the MCP SDK', async () => {
      const program = await start('mcp-client.mjs', {
        MCP_SERVER: `${site.service.url}/mcp/svc`,
        PORT: `${freePort()}`,
      });
      await person.page.goto(program.address);
      await agree(person.page);
      await person.page.getByText('You can close this page.').waitFor();
      expect(JSON.parse(await program.rest()).tools).toContain('list_models');
    }, 300_000);

    test('mcp-remote, for clients that support only local programs without sign-in', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-remote-'));
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [
          fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js')),
          `${site.service.url}/mcp/svc`,
          `${freePort()}`,
        ],
        // Without a PATH it finds no browser to open.
        env: { PATH: folder, MCP_REMOTE_CONFIG_DIR: folder },
        stderr: 'pipe',
      });
      const client = new Client({ name: 'an-agent', version: '1.0.0' });
      let said = '';
      transport.stderr!.on('data', (text) => {
        said += text;
      });
      const connected = client.connect(transport);
      try {
        await until('it says where to sign in', () => /visiting:\s+http\S+\s/.test(said));
        await person.page.goto(/visiting:\s+(\S+)/.exec(said)![1]!);
        await agree(person.page);
        await connected;
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain('list_models');
      } finally {
        await client.close();
        rmSync(folder, { recursive: true });
      }
    }, 300_000);
  });
});
