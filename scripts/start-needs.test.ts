import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { dependencies } from '../package.json';

const root = join(import.meta.dir, '..');
/** What `npm start` runs or bundles, on a machine that has the product's dependencies and none of the tools. */
const begins = [
  ...[
    'scripts/build-web.ts',
    'scripts/build-binary.ts',
    'server/src/main.ts',
    'web/src/main.tsx',
    'web/src/before-paint.ts',
  ],
  // Threads, which are begun by their address.
  ...['lib/tokens-worker.ts', 'platform/db/checkpoint-worker.ts', 'orchestra/import/passages-worker.ts'].map(
    (path) => `server/src/${path}`,
  ),
];
const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');

/** Names of packages, with a file that asks for each. */
async function packagesFrom(file: string, found: Map<string, string>, seen: Set<string>): Promise<void> {
  if (seen.has(file) || !/\.tsx?$/.test(file)) return;
  seen.add(file);
  const transpiler = transpilers[file.endsWith('x') ? 'tsx' : 'ts'];
  for (const { path } of transpiler.scanImports(await Bun.file(file).text())) {
    if (path.startsWith('.')) await packagesFrom(join(dirname(file), path), found, seen);
    else if (!isBuiltin(path) && !/^(bun$|bun:)/.test(path)) found.set(packageOf(path), file.slice(root.length + 1));
  }
}

test('npm start needs only product dependencies', async () => {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  for (const begin of begins) {
    expect(existsSync(join(root, begin))).toBe(true);
    await packagesFrom(join(root, begin), found, seen);
  }
  expect(seen.size).toBeGreaterThan(1_000);
  expect([...found].filter(([name]) => !(name in dependencies))).toEqual([]);
});
