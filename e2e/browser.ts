/**
 * A running service and a browser in front of it:
 *   const site = await openSite();
 *   const { page } = await site.signIn('root', rootPassword);
 *   await page.goto('/keys');  …  await site.stop();
 * Tests that need it start with `describe.skipIf(browserMissing)`.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { program } from './program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

export const browserMissing = !existsSync(executablePath);
if (browserMissing) console.warn(`skipped: ${executablePath} is missing, so the pages were not opened in a browser`);

const launchArgs = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const rootPassword = 'root-password-of-the-tests';

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What the page complained about: uncaught errors, refused scripts, failed assertions of libraries. */
  complaints: string[];
}

export interface Site {
  baseUrl: string;
  browser: Browser;
  /** Someone nobody knows yet. */
  visit(options?: BrowserContextOptions): Promise<Visitor>;
  /** A visitor with a session; `register` makes the account first. */
  signIn(username: string, password: string, options?: BrowserContextOptions): Promise<Visitor>;
  register(username: string, options?: BrowserContextOptions): Promise<Visitor>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

async function startServer(env: Record<string, string>) {
  if (!existsSync(join(root, 'dist/web/manifest.json'))) {
    const { buildWeb } = await import('../scripts/build-web.ts');
    await buildWeb(join(root, 'dist/web'));
  }
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
  const child = Bun.spawn(program, {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(port),
      BASE_URL: baseUrl,
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: rootPassword,
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '1',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (ready?.ok) return { baseUrl, stop };
    await Bun.sleep(100);
  }
  await stop();
  throw new Error('the service did not become ready');
}

/** A test opens pages faster than anybody reads them. */
async function liftLimits(visitor: Visitor): Promise<void> {
  const data = { key: 'RateLimitEnabled', value: false };
  const answer = await visitor.context.request.put('/api/admin/options', { data });
  if (!answer.ok()) throw new Error(`limits could not be lifted: ${await answer.text()}`);
  await visitor.context.close();
}

export async function openSite(env: Record<string, string> = {}): Promise<Site> {
  const server = await startServer(env);
  const browser = await chromium.launch({ executablePath, args: launchArgs });

  const visit = async (options: BrowserContextOptions = {}): Promise<Visitor> => {
    const context = await browser.newContext({
      baseURL: server.baseUrl,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      locale: 'en-US',
      ...options,
    });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // A refusal by the service is the page's to show; the browser logs it as well.
      const refusal = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
      if (message.type() === 'error' && !refusal) complaints.push(message.text());
    });
    return { page, context, complaints };
  };
  const enter = (path: string) => async (username: string, password: string, options?: BrowserContextOptions) => {
    const visitor = await visit(options);
    const answer = await visitor.context.request.post(path, { data: { username, password } });
    if (!answer.ok()) throw new Error(`${path} as ${username}: ${await answer.text()}`);
    return visitor;
  };
  const signIn = enter('/api/user/login');
  const register = enter('/api/user/register');

  await liftLimits(await signIn('root', rootPassword));
  return {
    baseUrl: server.baseUrl,
    browser,
    visit,
    signIn,
    register: (username, options) => register(username, passwordOf(username), options),
    stop: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

/** Of the accounts that `register` makes. */
export const passwordOf = (username: string): string => `password of ${username}`;

/** Serious and critical faults that axe finds on the page as it is now, each with the elements concerned. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // What is about to be replaced is dimmed for a moment, and is not what anybody reads.
  await page.waitForFunction(() => document.querySelector('.svc-stale') === null);
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // Put there by the line above, in the page, which no type knows of.
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await loaded.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
}
