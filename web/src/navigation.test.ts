import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { navigationFor } from './navigation.ts';
import { pages } from './routes.tsx';

const paths = (role: number) => navigationFor({ role }).flatMap(({ entries }) => entries.map(({ path }) => path));

test('the navigation lists only existing pages, each once', () => {
  const existing = pages.map(({ path }) => path);
  const offered = paths(100);
  expect(offered).toContain('/');
  expect(new Set(offered).size).toBe(offered.length);
  for (const path of offered) expect(existing).toContain(path);
});

test('admin pages are for administrators only, in the navigation and the routes', () => {
  expect(paths(1).filter((path) => path.startsWith('/admin'))).toEqual([]);
  for (const { path, access } of pages) expect([path, path.startsWith('/admin')]).toEqual([path, access === 'admin']);
});

test('each page folder has a file of its name that exports only the page', () => {
  const folder = join(import.meta.dir, 'pages');
  const files = [...new Bun.Glob('**/*-page.tsx').scanSync(folder)];
  for (const name of readdirSync(folder)) expect(files).toContain(`${name}/${name}-page.tsx`);
  for (const file of files) {
    const exported = readFileSync(join(folder, file), 'utf8').match(/^export .*/gm);
    expect([file, exported]).toEqual([file, [expect.stringMatching(/^export function \w+Page\(/)]]);
  }
});
