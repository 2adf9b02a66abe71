import { expect, test } from 'bun:test';
import { navigationFor } from './navigation.ts';
import { pages } from './routes.tsx';

const paths = (role: number) => navigationFor({ role }).flatMap(({ entries }) => entries.map(({ path }) => path));

test('only pages that exist are offered, each once', () => {
  const existing = pages.map(({ path }) => path);
  const offered = paths(100);
  expect(offered).toContain('/');
  expect(new Set(offered).size).toBe(offered.length);
  for (const path of offered) expect(existing).toContain(path);
});

test('administration is for administrators, in the navigation and at the door', () => {
  expect(paths(1).filter((path) => path.startsWith('/admin'))).toEqual([]);
  for (const { path, access } of pages) expect([path, path.startsWith('/admin')]).toEqual([path, access === 'admin']);
});
