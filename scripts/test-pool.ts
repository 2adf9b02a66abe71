/** Runs test files in separate processes, several at a time. */
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { count } from './step.ts';
import { grouped } from './test-files.ts';

export interface Suite {
  name: string;
  files: string[];
  env: Record<string, string>;
  /** The suite's tests cannot start before this resolves. */
  after?: Promise<unknown>;
}

interface Ran {
  title: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** Processor time, including programs that the tests started and waited for. */
  cpuSeconds: number;
}

/** Far longer than any test waits, so that no test fails on a busy machine. */
const longestTestMs = 300_000;

/**
 * Tests of the whole service have the first turns and mostly wait; those of the last turns are CPU-bound. Some workers
 * take jobs from the front and some from the back, so that both kinds always run side by side.
 */
export async function runInPool(jobs: { turn: number; run(): Promise<unknown> }[]): Promise<void> {
  const waiting = jobs.toSorted((a, b) => a.turn - b.turn);
  const lane = async (next: () => (typeof jobs)[number] | undefined): Promise<void> => {
    for (let job = next(); job; job = next()) await job.run();
  };
  const cores = availableParallelism();
  await Promise.all([
    ...Array.from({ length: cores + 2 }, () => lane(() => waiting.shift())),
    ...Array.from({ length: cores + 1 }, () => lane(() => waiting.pop())),
  ]);
}

/** A suite's files as jobs; the suite is counted when its last job has finished. */
export function jobsOf(suite: Suite, turnOf: (file: string) => number, work: string) {
  const ran: Ran[] = [];
  const groups = grouped(suite.files);
  return groups.map((files) => ({
    turn: turnOf(files[0]!),
    run: async () => {
      await suite.after;
      ran.push(await runFiles(suite, files, work));
      if (ran.length === groups.length) sumUp(suite, ran);
    },
  }));
}

/** Output of the tests is always shown, Bun's own output only on failure. Results are counted from the JUnit report. */
async function runFiles({ name, env }: Suite, files: string[], work: string): Promise<Ran> {
  const startedMs = performance.now();
  const report = join(work, `${Bun.hash(name + files[0]).toString(36)}.xml`);
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn(
    [process.execPath, 'test', '--only-failures', `--timeout=${longestTestMs}`, ...reporter, ...files],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [printed, said] = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  const code = await child.exited;
  const xml = await Bun.file(report)
    .text()
    .catch(() => '');
  const of = (pattern: RegExp): number => xml.match(pattern)?.length ?? 0;
  const faults = of(/<(failure|error)[\s>/]/g);
  const skipped = of(/<skipped[\s>/]/g);
  // A file that fails to load is missing in the report, and other errors show only in the exit code.
  const failed = code === 0 ? faults : Math.max(1, faults);
  const ran: Ran = {
    title: titleOf(files),
    passed: Math.max(0, of(/<testcase[\s>]/g) - faults - skipped),
    failed,
    skipped,
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
  };
  show(`${ran.title} (${name})`, code, printed!.replace(/^bun test v.*\n/, ''), said!);
  return ran;
}

function titleOf(files: string[]): string {
  const [first, ...others] = files.map((file) => relative(process.cwd(), file));
  return others.length === 0 ? first! : `${first} … ${basename(others.at(-1)!)}`;
}

function show(title: string, code: number, printed: string, said: string): void {
  const text = code === 0 ? printed : `${printed}${said}`;
  if (text.trim() !== '') console.log(`\n${code === 0 ? '—' : '✗'} ${title}\n${text.trimEnd()}`);
}

function sumUp({ name, files }: Suite, ran: Ran[]): void {
  const sum = (of: (one: Ran) => number): number => ran.reduce((total, one) => total + of(one), 0);
  const [passed, failed, skipped] = [sum((one) => one.passed), sum((one) => one.failed), sum((one) => one.skipped)];
  const slowest = ran.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, 8);
  console.log(
    `\n${failed === 0 ? '✓' : '✗'} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped (${files.length} files, ${sum((one) => one.cpuSeconds).toFixed(0)} s of processor time)`,
  );
  console.log(`  of which ${slowest.map(({ title, cpuSeconds }) => `${title} ${cpuSeconds.toFixed(0)} s`).join(', ')}`);
  count(passed, failed, name);
}
