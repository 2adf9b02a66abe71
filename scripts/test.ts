/**
 * `npm test [-- file…]`: everything, or the given test files only. The last line is `N passed, N failed`.
 * Test files that look at SVC_TEST_ENGINE, themselves or through a fixture, run on SQLite and again on PostgreSQL + Redis.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { checks } from './check.ts';
import { prepareChromium, preparePostgres, prepareRedis } from './services.ts';
import { count, step, summarise } from './step.ts';

const asked = process.argv.slice(2).map((path) => resolve(path));
const work = await mkdtemp(join(tmpdir(), 'svc-test-'));
const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) };

async function findTests(folders: string): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob(`${folders}/**/*.test.{ts,tsx}`).scan({ absolute: true }));
  const wanted = files.filter(
    (file) =>
      !file.includes('/bench/peers/node_modules/') &&
      (asked.length === 0 || asked.some((path) => file === path || file.startsWith(`${path}/`))),
  );
  return wanted.sort();
}

/** Whether a test file, or a fixture it imports, looks at SVC_TEST_ENGINE. */
async function variesByEngine(file: string, seen = new Set<string>()): Promise<boolean> {
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

interface Suite {
  name: string;
  files: string[];
  env: Record<string, string>;
  /** Files at a time. */
  parallel: number;
}

let runs = 0;

/** Bun's own output is shown when a suite has ended, since others run beside it; what counts is its JUnit report. */
async function runTests({ name, files, env, parallel }: Suite): Promise<void> {
  if (files.length === 0) return;
  console.log(`— ${name}: ${files.length} files, begun`);
  runs += 1;
  const report = join(work, `${runs}.xml`);
  const startedMs = performance.now();
  const args = [
    'test',
    `--parallel=${parallel}`,
    '--only-failures',
    // Far longer than any test waits for something, so that a busy machine fails no test.
    '--timeout=300000',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
  ];
  const child = Bun.spawn([process.execPath, ...args, ...files], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  const code = await child.exited;
  console.log(`\n— ${name}\n${said.join('').trimEnd()}`);
  const xml = await Bun.file(report)
    .text()
    .catch(() => '');
  const of = (pattern: RegExp): number => xml.match(pattern)?.length ?? 0;
  const failed = of(/<(failure|error)[\s>/]/g);
  const skipped = of(/<skipped[\s>/]/g);
  const passed = of(/<testcase[\s>]/g) - failed - skipped;
  // A file that does not load is missing from the report, and whatever else went wrong shows in the exit code only.
  const unloaded = files.filter((file) => !xml.includes(` file="${relative(process.cwd(), file)}"`)).length;
  const counted = code === 0 ? failed : Math.max(1, failed + unloaded);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(
    `${code === 0 ? '✓' : '✗'} ${name}: ${passed} passed, ${counted} failed, ${skipped} skipped (${seconds} s)`,
  );
  console.log(`  longest: ${longestFiles(xml).join(', ')}`);
  count(passed, counted, name);
}

function longestFiles(xml: string): string[] {
  const files = [...xml.matchAll(/<testsuite name="([^"]+)" file="\1"[^>]* time="([\d.]+)"/g)];
  const timed = files.map(([, file, seconds]) => ({ file, seconds: Number(seconds) }));
  const longest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, 8);
  return longest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`);
}

const [postgres, redis, chromium] = await Promise.all([preparePostgres(), prepareRedis(), prepareChromium()]);
console.log(`PostgreSQL: ${postgres.note}\nRedis: ${redis.note}\nChromium: ${chromium.note}`);

async function cleanUp(): Promise<void> {
  await Promise.all([postgres.stop(), redis.stop()]);
  await rm(work, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void cleanUp().finally(() => process.exit(130)));
}

const services: Record<string, string> = {};
if (postgres.url) services.DATABASE_URL_TEST = postgres.url;
if (redis.url) services.REDIS_URL_TEST = redis.url;
if (chromium.url) services.CHROMIUM_PATH = chromium.url;

await step('web build', [process.execPath, 'scripts/build-web.ts']);
await step('API types', [process.execPath, 'scripts/api-types.ts']);

const unit = await findTests('{server,web,scripts,bench}');
const endToEnd = await findTests('e2e');
const bothEngines: string[] = [];
for (const file of unit) if (await variesByEngine(file)) bothEngines.push(file);

/** End-to-end tests run the executable that `npm start` runs. */
const executable = join(work, 'svc');
const buildExecutable = [process.execPath, 'scripts/build-binary.ts', `--outfile=${executable}`];
await Promise.all([
  ...(asked.length === 0 ? checks.map(({ name, command }) => step(name, command)) : []),
  ...(endToEnd.length > 0 ? [step('executable', buildExecutable)] : []),
]);

const sqlite = { ...services, SVC_TEST_ENGINE: 'sqlite' };
const onPostgres = { ...services, SVC_TEST_ENGINE: 'postgres' };
const program = { ...sqlite, SVC_PROGRAM: executable };
const withBrowser = (file: string): boolean => /\/web-[^/]*$/.test(file);
const engines: Suite[] = [{ name: 'unit and HTTP tests on SQLite', files: unit, env: sqlite, parallel: 4 }];
if (postgres.url && redis.url)
  engines.push({ name: 'HTTP tests on PostgreSQL + Redis', files: bothEngines, env: onPostgres, parallel: 4 });
const wholeService: Suite[] = [
  { name: 'clients and faults', files: endToEnd.filter((file) => !withBrowser(file)), env: program, parallel: 3 },
  { name: 'browser', files: endToEnd.filter(withBrowser), env: program, parallel: 3 },
];
/** Two rows of suites at once: tests of the whole service mostly wait, the others use the processor. */
const inOrder = async (suites: Suite[]): Promise<void> => {
  for (const suite of suites) await runTests(suite);
};
await Promise.all([inOrder(engines), inOrder(wholeService)]);
await cleanUp();

const notes = [
  ...(postgres.url ? [] : [`SKIPPED: tests on PostgreSQL (${postgres.note})`]),
  ...(redis.url ? [] : [`SKIPPED: tests on Redis (${redis.note})`]),
  ...(chromium.url ? [] : [`SKIPPED: browser tests (${chromium.note})`]),
];
const found = unit.length + endToEnd.length;
if (asked.length > 0 && found === 0) count(0, 1, `no test file at ${process.argv.slice(2).join(', ')}`);
console.log('');
summarise(notes);
