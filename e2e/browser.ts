/**
 * A running service with a browser:
 *   const site = await openSite();
 *   const { page } = await site.root();
 *   await page.goto('/keys');  …  await site.stop();
 * Tests that need it start with `describe.skipIf(browserMissing)`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type axe from 'axe-core';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import { installedChromium } from './installed-chromium.ts';
import { type Service, startService, until } from './service.ts';

export const executablePath = installedChromium() ?? '/usr/bin/chromium';
const webApp = join(import.meta.dir, '../dist/web');

export const browserMissing = !existsSync(executablePath);
if (browserMissing) console.warn(`skipped: ${executablePath} is missing, so the pages were not opened in a browser`);

export const launchArgs = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Errors reported by the page: uncaught exceptions, blocked scripts, failed assertions of libraries. */
  complaints: string[];
  /** Opens a page and waits until it has loaded and rendered all its data. */
  open(path: string): Promise<void>;
  /** Navigates within the app, as a link would, without reloading it. */
  go(path: string): Promise<void>;
  /** Waits until the current page has rendered all its data. */
  settled(): Promise<void>;
}

export interface Site {
  service: Service;
  /** A visitor without a session. */
  visit(options?: BrowserContextOptions): Promise<Visitor>;
  /** The root user: a tab of a shared browser context that stays signed in, or with options a separate context. */
  root(options?: BrowserContextOptions): Promise<Visitor>;
  /** A visitor with a session; `register` creates the account first. */
  signIn(username: string, password: string, options?: BrowserContextOptions): Promise<Visitor>;
  register(username: string, options?: BrowserContextOptions): Promise<Visitor>;
  /** Open pages keep polling and would take processor time from later tests. */
  closeVisitors(): Promise<void>;
  stop(): Promise<void>;
}

async function openTab(context: BrowserContext): Promise<Visitor> {
  // Pages may load slowly on a busy machine.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The page shows 4xx responses itself; the browser also logs them, which is no error.
    const refusal = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !refusal) complaints.push(message.text());
  });
  const settled = watchRequests(page);
  const open = async (path: string) => {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await settled();
  };
  const go = async (path: string) => {
    const left = await page.locator('h1').first().elementHandle();
    await page.evaluate((to) => history.pushState(null, '', to), path);
    await page.waitForFunction((heading) => !heading?.isConnected && document.querySelector('h1') !== null, left);
    await settled();
  };
  return { page, context, complaints, open, go, settled };
}

/** Waits until all requests have finished and are rendered, with no placeholders left. */
function watchRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let started = 0;
  page.on('request', (request) => {
    started += 1;
    pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  const painted = () =>
    page.evaluate(async () => {
      // Whatever a response triggers, a render or another request, has started two frames later.
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      return document.querySelector('[aria-busy=true], .mantine-Skeleton-root[data-visible], .svc-stale') === null;
    });
  return () =>
    until('the page has settled', async () => {
      if (pending.size > 0) return false;
      const before = started;
      // Fails while the page navigates: try again then.
      const still = await painted().catch(() => false);
      return still && pending.size === 0 && started === before;
    });
}

export async function openSite(env: Record<string, string> = {}, host?: string): Promise<Site> {
  if (!existsSync(join(webApp, 'manifest.json'))) await (await import('../scripts/build-web.ts')).buildWeb(webApp);
  const [service, browser] = await Promise.all([
    startService({ env, ...(host && { host }) }),
    chromium.launch({ executablePath, args: launchArgs }),
  ]);
  const visitors = new Set<Visitor>();

  const newContext = (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
    browser.newContext({
      baseURL: service.url,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      locale: 'en-US',
      ...options,
    });
  const rootContext = async (options?: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await newContext(options);
    const [name, value] = service.root.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: service.url }]);
    return context;
  };
  const rootHome = await rootContext();

  const visit = async (context: BrowserContext): Promise<Visitor> => {
    const visitor = await openTab(context);
    visitors.add(visitor);
    return visitor;
  };
  const enter = async (path: string, username: string, password: string, options?: BrowserContextOptions) => {
    const visitor = await visit(await newContext(options));
    const answer = await visitor.context.request.post(path, { data: { username, password } });
    if (!answer.ok()) throw new Error(`${path} as ${username}: ${await answer.text()}`);
    return visitor;
  };
  return {
    service,
    visit: async (options) => visit(await newContext(options)),
    root: async (options) => visit(options ? await rootContext(options) : rootHome),
    signIn: (username, password, options) => enter('/api/user/login', username, password, options),
    register: (username, options) => enter('/api/user/register', username, passwordOf(username), options),
    closeVisitors: async () => {
      for (const { page, context } of visitors) await (context === rootHome ? page : context).close();
      visitors.clear();
    },
    stop: async () => {
      await browser.close();
      await service.stop();
    },
  };
}

/** The password of accounts created by `register`. */
export const passwordOf = (username: string): string => `password of ${username}`;

/** By how many pixels the page is too wide for the window, or the content of a card (or a phone's row) for its box. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const rows = window.innerWidth < 768 ? '.svc-cards > tbody > tr > *' : ':not(*)';
    const cards = [...document.querySelectorAll(`.mantine-Card-root, ${rows}`)];
    const cut = cards.map((card) => card.scrollWidth - card.clientWidth);
    return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth, ...cut);
  });

/** Minified, because every tested page has to parse it. */
const axeScript = Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

interface AxeRule {
  id: string;
  impact: string;
}

/**
 * Accessibility violations that axe finds on the current page, or in a part of it, with the elements concerned: the
 * serious and critical ones, or all.
 */
export async function accessibilityFaults(
  page: Page,
  which: 'grave' | 'all' = 'grave',
  part = 'html',
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeScript);
  return page.evaluate(
    async ([which, part]) => {
      // Cast because the types know neither the global set by the script above nor axe's internal rule list.
      const { axe: loaded } = globalThis as unknown as { axe: typeof axe & { _audit: { rules: AxeRule[] } } };
      // A rule's impact applies to all its results: skip rules whose results would be filtered out below.
      const passedOver =
        which === 'all' ? [] : loaded._audit.rules.filter(({ impact }) => /minor|moderate/.test(impact));
      // WCAG 2.2 requires targets of 24 pixels; axe checks this only if enabled.
      const rules = {
        ...Object.fromEntries(passedOver.map(({ id }) => [id, { enabled: false }])),
        'target-size': { enabled: true },
      };
      // Stale content is dimmed briefly until it is replaced; its contrast does not matter.
      const dimmed = () => document.querySelector('.svc-stale') !== null;
      let changed = true;
      const observer = new MutationObserver(() => (changed ||= dimmed()));
      observer.observe(document, { subtree: true, childList: true, attributeFilter: ['class'] });
      let violations: axe.Result[] = [];
      while (changed) {
        while (dimmed()) await new Promise((resolve) => setTimeout(resolve, 20));
        changed = false;
        ({ violations } = await loaded.run(part, { resultTypes: ['violations'], rules }));
      }
      observer.disconnect();
      return violations
        .filter(({ impact }) => which === 'all' || impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
    },
    [which, part] as const,
  );
}
