/** Which test files there are, and where each of them runs. */
import { dirname, join, relative } from 'node:path';

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

export async function findTests(folders: string, asked: string[]): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob(`${folders}/**/*.test.{ts,tsx}`).scan({ absolute: true }));
  const wanted = files.filter(
    (file) =>
      // Peers of the benchmarks and clients bring tests of their own.
      !relative(process.cwd(), file).includes('/node_modules/') &&
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

/** They wait for nothing and use every core, so they come where both ends meet, and what is left at the end waits less. */
export const turnOfChecks = longest.length + 1;

/** The less, the earlier. */
export function turnOf(file: string): number {
  const name = relative(process.cwd(), file);
  const at = longest.findIndex((start) => name.startsWith(start));
  if (at >= 0) return at;
  return name.startsWith('e2e/') ? longest.length : longest.length + 2;
}

/** Each process loads the service and warms up anew, so many share one; but the last to end keep everybody waiting, so those are small. */
const mostInGroup = 96;
const fewestInGroup = 16;
/** These start whole services, or count what goes on in their process, where nothing of others may go on. */
const runsAlone = (file: string): boolean =>
  relative(process.cwd(), file).startsWith('e2e/') || /\.(alone|fuzz)\.test\.ts$/.test(file);

/**
 * Files that share a process, side by side as they are sorted: to load the service and to warm up costs more than most files'
 * tests. Those at the end begin first and are the largest.
 */
export function grouped(files: string[]): string[][] {
  const left = files.filter((file) => !runsAlone(file));
  const groups: string[][] = [];
  while (left.length > 0) {
    const size = Math.min(Math.max(Math.ceil(left.length / 3), fewestInGroup), mostInGroup);
    // A few that are left over are not worth a process.
    groups.unshift(left.splice(left.length < size + fewestInGroup / 2 ? 0 : -size));
  }
  return [...files.filter(runsAlone).map((file) => [file]), ...groups];
}
