/**
 * Recreates the screenshots of docs/guides/user.md: `bun scripts/screenshots.ts [name…]`. It starts a service with demo
 * data and a browser, and takes one picture per row of the table below.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserMissing, openSite, type Site } from '../e2e/browser.ts';
import { rootPassword } from '../e2e/service.ts';
import { buildWeb } from './build-web.ts';
import { type DemoData, fillDemoData } from './demo-data.ts';

const root = join(import.meta.dir, '..');
const folder = join(root, 'docs/guides/images');
const mostBytes = 150_000;
const desk: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 760 } };

interface Shot {
  name: string;
  path: string | ((data: DemoData) => string);
  as: 'ada' | 'root' | 'nobody';
  options?: BrowserContextOptions;
  /** Actions on the page before the screenshot. */
  act?: (page: Page) => Promise<void>;
}

const shots: Shot[] = [
  { name: 'login', path: '/login', as: 'nobody' },
  { name: 'home', path: '/', as: 'root' },
  { name: 'playground', path: '/playground?model=northwind/small', as: 'ada', act: chat },
  { name: 'models', path: '/models', as: 'ada', options: { viewport: { width: 1280, height: 640 } } },
  { name: 'keys', path: '/keys', as: 'ada' },
  { name: 'usage', path: '/usage', as: 'ada' },
  { name: 'credits', path: '/credits', as: 'ada' },
  { name: 'application', path: (data) => `/applications/${data.applicationId}`, as: 'ada' },
  {
    name: 'consent',
    path: (data) => data.authorizePath,
    as: 'ada',
    options: { viewport: { width: 760, height: 1000 } },
  },
  { name: 'session', path: (data) => `/sessions/${data.sessionId}`, as: 'ada' },
  { name: 'run', path: (data) => `/runs/${data.runSessionId}`, as: 'ada' },
  { name: 'videos', path: '/videos', as: 'ada', act: toTheVideos },
  { name: 'requests', path: '/requests', as: 'ada', options: { viewport: { width: 1280, height: 640 } } },
  { name: 'overview', path: '/admin', as: 'root' },
  { name: 'channels', path: '/admin/channels', as: 'root' },
  {
    name: 'decisions',
    path: '/routing/decisions?model=northwind/small',
    as: 'ada',
    options: { viewport: { width: 1280, height: 640 } },
  },
  { name: 'chinese', path: '/usage', as: 'ada', options: { locale: 'zh-CN' } },
  { name: 'phone-dark', path: '/usage', as: 'ada', options: { ...phone, colorScheme: 'dark' } },
];

async function chat(page: Page): Promise<void> {
  const message = page.getByLabel('Message', { exact: true });
  await message.fill('Which tea should I drink in the morning, and why?');
  await message.press('Enter');
  const answer = page.getByRole('article', { name: /^Answer from/ });
  await answer.first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
}

async function toTheVideos(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Your videos' }).evaluate((heading) => heading.scrollIntoView());
}

async function take(site: Site, shot: Shot, data: DemoData): Promise<number> {
  const options = { ...desk, ...shot.options };
  const visitor =
    shot.as === 'nobody'
      ? await site.visit(options)
      : await site.signIn(shot.as, shot.as === 'root' ? rootPassword : data.adaPassword, options);
  const { page, context, complaints } = visitor;
  await page.goto(typeof shot.path === 'string' ? shot.path : shot.path(data));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await shot.act?.(page);
  // By then, charts and placeholders have settled.
  await page.waitForTimeout(600);
  const file = join(folder, `${shot.name}.png`);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  await context.close();
  if (complaints.length > 0) throw new Error(`${shot.name}: ${complaints.join('; ')}`);
  return statSync(file).size;
}

if (import.meta.main) {
  if (browserMissing) process.exit(1);
  const wanted = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  await buildWeb(join(root, 'dist/web'));
  const site = await openSite({ DEMO_PROVIDER: 'on' });
  const data = await fillDemoData(site.service.url, rootPassword);
  let faults = 0;
  for (const shot of shots.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    try {
      const bytes = await take(site, shot, data);
      if (bytes > mostBytes) throw new Error(`${shot.name}.png has ${bytes} bytes, more than ${mostBytes}`);
      console.log(`✓ ${shot.name} (${Math.ceil(bytes / 1024)} KB)`);
    } catch (error) {
      faults += 1;
      console.log(`✗ ${error instanceof Error ? error.message : error}`);
    }
  }
  await site.stop();
  data.stop();
  process.exit(faults > 0 ? 1 : 0);
}
