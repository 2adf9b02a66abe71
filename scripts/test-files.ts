/** Which test files there are, and where each of them runs. */
import { dirname, join, relative } from 'node:path';

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

export async function findTests(folders: string, asked: string[]): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob(`${folders}/**/*.test.{ts,tsx}`).scan({ absolute: true }));
  const wanted = files.filter(
    (file) =>
      !file.includes('/bench/peers/node_modules/') &&
      (asked.length === 0 || asked.some((path) => file === path || file.startsWith(`${path}/`))),
  );
  return wanted.sort();
}

/** Whether a test file, or a fixture it imports, looks at SVC_TEST_ENGINE. */
export async function variesByEngine(file: string, seen = new Set<string>()): Promise<boolean> {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = await Bun.file(file).text();
  if (text.includes('SVC_TEST_ENGINE')) return true;
  const fixtures = transpilers[file.endsWith('x') ? 'tsx' : 'ts']
    .scanImports(text)
    .filter(({ path }) => path.startsWith('.') && path.endsWith('.fixture.ts'));
  for (const { path } of fixtures) {
    if (await variesByEngine(join(dirname(file), path), seen)) return true;
  }
  return false;
}

/** What takes longest begins first, so that nothing runs alone at the end. */
const longest = ['e2e/hostile', 'e2e/fuzz', 'e2e/web-pages', 'e2e/web-channels', 'e2e/soak', 'e2e/faults', 'e2e/web-'];

/** The less, the earlier. */
export function turnOf(file: string): number {
  const name = relative(process.cwd(), file);
  const at = longest.findIndex((start) => name.startsWith(start));
  if (at >= 0) return at;
  return name.startsWith('e2e/') ? longest.length : longest.length + 1;
}
