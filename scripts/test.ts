/**
 * `npm test [-- file…]`: runs everything, or only the given test files. The last line is `N passed, N failed`. Test
 * files that read SVC_TEST_ENGINE, directly or through a fixture, run on SQLite and again on PostgreSQL + Redis. The
 * slowest run in one of sixteen runs (test-turns.ts), or all of them with SVC_TURN=all.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checks } from './check.ts';
import { scratchFolder } from './scratch.ts';
import { prepareChromium, preparePostgres, prepareRedis } from './services.ts';
import { count, step, summarise } from './step.ts';
import { findTests, turnOf, turnOfChecks, variesByEngine } from './test-files.ts';
import { jobsOf, runInPool, type Suite } from './test-pool.ts';
import { ofTurn, turnOfRun, turns } from './test-turns.ts';

const asked = process.argv.slice(2).map((path) => resolve(path));
const turn = asked.length > 0 ? 'all' : turnOfRun();
// Some tests run in one of several places in each turn.
process.env.SVC_TURN = String(turn);
const work = await mkdtemp(join(scratchFolder(), 'svc-test-'));
// If we are root, PostgreSQL runs as another user and must reach its folder in here.
await chmod(work, 0o711);
process.env.TMPDIR = work;

// These run while the servers start, which takes time but hardly any processor.
const apiTypes = step('API types', [process.execPath, 'scripts/api-types.ts']);
const web = step('web build', [process.execPath, 'scripts/build-web.ts']);
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

const unit = await findTests('{server,web,scripts,bench}', asked);
const endToEnd = ofTurn(await findTests('e2e', asked), turn);
const bothEngines: string[] = [];
for (const file of unit) if (await variesByEngine(file)) bothEngines.push(file);

await web;
/** End-to-end tests use the executable that `npm start` runs; the other tests do not wait for it. */
const executable = join(work, 'svc');
const emptyData = join(work, 'empty');
async function build(): Promise<void> {
  await step('executable', [process.execPath, 'scripts/build-binary.ts', `--outfile=${executable}`]);
  await step('empty database', [executable, 'migrate'], { DATA_DIR: emptyData });
}
const built = endToEnd.length > 0 ? build() : undefined;

const sqlite = { ...services, SVC_TEST_ENGINE: 'sqlite', SVC_TEST_TABLES: join(work, 'tables.db') };
/**
 * Tests are too short to benefit from the JIT's last tier: without it they take 5 % less time. And they need no small
 * heap. The executable keeps both.
 */
const inProcess = { SVC_BUILT_WEB: resolve('dist/web'), BUN_JSC_useFTLJIT: '0', BUN_JSC_heapGrowthMaxIncrease: '2' };
const onPostgres = { ...services, ...inProcess, SVC_TEST_ENGINE: 'postgres' };
const program = { ...sqlite, SVC_PROGRAM: executable, SVC_EMPTY_DATABASE: join(emptyData, 'svc.db') };
const withBrowser = (file: string): boolean => /\/web-[^/]*$/.test(file);
const suites: Suite[] = [
  { name: 'clients and faults', files: endToEnd.filter((file) => !withBrowser(file)), env: program, after: built },
  { name: 'browser', files: endToEnd.filter(withBrowser), env: program, after: built },
];
suites.push({ name: 'unit and HTTP tests on SQLite', files: ofTurn(unit, turn), env: { ...sqlite, ...inProcess } });
// The last in the list start first: on PostgreSQL tests wait more than they compute.
if (postgres.url && redis.url)
  suites.push({
    name: 'HTTP tests on PostgreSQL + Redis',
    files: ofTurn(bothEngines, turn, 'postgres'),
    env: onPostgres,
  });
const checking =
  asked.length > 0
    ? []
    : checks.map(({ name, command, env }) => ({
        turn: turnOfChecks,
        run: async () => {
          await apiTypes;
          await step(name, command, env);
        },
      }));
await runInPool([...checking, ...suites.flatMap((suite) => jobsOf(suite, turnOf, work))]);
await cleanUp();

const notes = [
  ...(turn === 'all'
    ? []
    : [`turn ${turn} of ${turns} of the longest tests: SVC_TURN=${turn} repeats it, SVC_TURN=all runs them all`]),
  ...(postgres.url ? [] : [`SKIPPED: tests on PostgreSQL (${postgres.note})`]),
  ...(redis.url ? [] : [`SKIPPED: tests on Redis (${redis.note})`]),
  ...(chromium.url ? [] : [`SKIPPED: browser tests (${chromium.note})`]),
];
const found = unit.length + endToEnd.length;
if (asked.length > 0 && found === 0) count(0, 1, `no test file at ${process.argv.slice(2).join(', ')}`);
console.log('');
summarise(notes);
