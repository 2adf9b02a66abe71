/** Finds test files, and decides when and in which process each of them runs. */
import { dirname, join, relative } from 'node:path';

const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

export async function findTests(folders: string, asked: string[]): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob(`${folders}/**/*.test.{ts,tsx}`).scan({ absolute: true }));
  const wanted = files.filter(
    (file) =>
      // Packages of benchmarks and clients contain tests of their own.
      !relative(process.cwd(), file).includes('/node_modules/') &&
      (asked.length === 0 || asked.some((path) => file === path || file.startsWith(`${path}/`))),
  );
  return wanted.sort();
}

/** Whether a test file, or a fixture it imports, reads SVC_TEST_ENGINE. */
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

/** The slowest tests start first, so that none of them runs alone at the end. */
const longest = ['e2e/hostile', 'e2e/fuzz', 'e2e/web-pages', 'e2e/web-channels', 'e2e/soak', 'e2e/faults', 'e2e/web-'];

/**
 * The checks never wait and use every core, so they run where both ends of the queue meet; what remains after them
 * waits less.
 */
export const turnOfChecks = longest.length + 1;

/** Lower numbers start earlier. */
export function turnOf(file: string): number {
  const name = relative(process.cwd(), file);
  const at = longest.findIndex((start) => name.startsWith(start));
  if (at >= 0) return at;
  return name.startsWith('e2e/') ? longest.length : longest.length + 2;
}

/**
 * Every process has to load the service and warm up, so many files share one. The groups that finish last are small,
 * because the whole run waits for them.
 */
const mostInGroup = 96;
const fewestInGroup = 16;
/** These start whole services, or measure their own process, so no other tests may run in it. */
const runsAlone = (file: string): boolean =>
  relative(process.cwd(), file).startsWith('e2e/') || /\.(alone|fuzz)\.test\.ts$/.test(file);

/** These wait for half a minute, with one core or none: at the end of a run, nothing would use the others meanwhile. */
const waits = (file: string): boolean => relative(process.cwd(), file).startsWith('server/src/accounts/');

/**
 * Groups neighbouring files into shared processes, because loading the service and warming up costs more than most
 * files' tests. The groups at the end of the result start first and are the largest.
 */
export function grouped(files: string[]): string[][] {
  const shared = files.filter((file) => !runsAlone(file));
  const left = [...shared.filter((file) => !waits(file)), ...shared.filter(waits)];
  const groups: string[][] = [];
  while (left.length > 0) {
    const size = Math.min(Math.max(Math.ceil(left.length / 3), fewestInGroup), mostInGroup);
    // A small remainder is not worth a process of its own.
    groups.unshift(left.splice(left.length < size + fewestInGroup / 2 ? 0 : -size));
  }
  return [...files.filter(runsAlone).map((file) => [file]), ...groups];
}
