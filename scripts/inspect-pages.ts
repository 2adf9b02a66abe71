/**
 * Takes screenshots of every page, in two sizes, both colour schemes and both languages, and prints the problems found:
 * `bun scripts/inspect-pages.ts FOLDER [part of a URL…]`. The screenshots are for people to look at, so no test runs
 * it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityFaults, browserMissing, overflow, type Visitor } from '../e2e/browser.ts';
import { openFullSite } from '../e2e/full-site.ts';
import { untranslatedMessages } from '../e2e/untranslated-texts.ts';

const languages = ['en', 'zh-CN'];
const looks = [
  ['light', 1280],
  ['dark', 1280],
  ['dark', 390],
  ['light', 390],
] as const;

const fileName = (path: string): string =>
  path
    .replace(/[?#].{60,}$/, '')
    .replace(/[^\w=-]+/g, '_')
    .replace(/^_|_$/g, '') || 'home';

async function faultsOf({ page, complaints }: Visitor, language: string): Promise<string[]> {
  const wide = await overflow(page);
  return [
    ...(wide > 0 ? [`${wide} px too wide`] : []),
    ...(await accessibilityFaults(page, 'all')),
    ...(language === 'en' ? [] : (await untranslatedMessages(page)).map((text) => `left in English: ${text}`)),
    ...complaints.splice(0),
  ];
}

/** Loads the page once: resizing the window or changing its colour scheme does not need a reload. */
async function lookAt(visitor: Visitor, path: string, language: string, folder: string): Promise<string[]> {
  const { page, open, settled } = visitor;
  const found: string[] = [];
  // Navigating to a URL that differs only in its fragment would not load the page.
  await page.goto('about:blank');
  for (const [index, [colorScheme, width]] of looks.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
    await (index === 0 ? open(path) : settled());
    const file = `${fileName(path)}.${language}.${width}.${colorScheme}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true, animations: 'disabled', caret: 'hide' });
    for (const fault of await faultsOf(visitor, language))
      found.push([path, language, width, colorScheme, fault].join('\t'));
  }
  return found;
}

if (import.meta.main) {
  const [folder, ...parts] = process.argv.slice(2);
  if (browserMissing || !folder) process.exit(1);
  mkdirSync(folder, { recursive: true });
  const { site, data, paths, stop } = await openFullSite();
  const wanted = (path: string) => parts.length === 0 || parts.some((part) => path.includes(part));
  let views = 0;
  let faults = 0;
  for (const locale of languages) {
    const visits = [
      [await site.signIn('ada', data.adaPassword, { locale }), paths.hers, ''],
      [await site.visit({ locale }), paths.beforeTheDoor, 'door'],
    ] as const;
    for (const [visitor, itsPaths, below] of visits)
      for (const path of itsPaths.filter(wanted)) {
        const found = await lookAt(visitor, path, locale, join(folder, below)).catch((error) => [`${path}\t${error}`]);
        for (const line of found) console.log(line);
        views += looks.length;
        faults += found.length;
      }
    await site.closeVisitors();
  }
  console.log(`${views} views, ${faults} findings`);
  await stop();
  process.exit(faults > 0 ? 1 : 0);
}
