/** Steps of a run: each is announced, timed and counted; the last line is a summary. */

const counts = { passed: 0, failed: 0 };
const failures: string[] = [];

export function count(passed: number, failed: number, what: string): void {
  counts.passed += passed;
  counts.failed += failed;
  if (failed > 0) failures.push(what);
}

/** Runs a command as one step, and shows its output if it fails. */
export async function step(name: string, command: string[], env: Record<string, string> = {}): Promise<boolean> {
  const startedMs = performance.now();
  const child = Bun.spawn(command, {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (code !== 0) console.log(`${out}${err}`.trimEnd());
  count(code === 0 ? 1 : 0, code === 0 ? 0 : 1, name);
  return code === 0;
}

/** Prints the summary and exits with the matching exit code. */
export function summarise(notes: string[] = []): never {
  for (const note of notes) console.log(note);
  if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.failed > 0 ? 1 : 0);
}
