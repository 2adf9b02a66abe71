import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import needed from './runtime-environment.json' with { type: 'json' };

const missing: [string, Record<string, string>][] = [
  ['every setting', {}],
  ['one of the settings', { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }],
];
test.each(missing)(
  'a process without %s replaces itself by one that has them, keeping pid, arguments and exit code',
  async (_, has) => {
    const run = await runWith(has);
    expect(run.lines).toEqual([run.pid, run.pid, `${JSON.stringify(Object.values(needed))} one two`]);
    expect(run.code).toBe(7);
  },
);

test('what the operator has set stays', async () => {
  const run = await runWith({ BUN_JSC_heapGrowthMaxIncrease: '1.5' });
  expect(run.lines).toEqual([run.pid, run.pid, '["65535","0","1.5"] one two']);
});

test('a process that has all of them goes on', async () => {
  const run = await runWith(needed);
  expect(run.lines).toEqual([run.pid, `${JSON.stringify(Object.values(needed))} one two`]);
});

/** A program that prints its pid, enters the environment, and prints the settings and its arguments. */
async function runWith(has: Record<string, string>): Promise<{ pid: string; lines: string[]; code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-runtime-'));
  try {
    const script = join(folder, 'main.ts');
    await Bun.write(
      script,
      `import { enterRuntimeEnvironment } from ${JSON.stringify(join(import.meta.dir, 'runtime-environment.ts'))};
       console.log(process.pid);
       enterRuntimeEnvironment();
       const settings = ${JSON.stringify(Object.keys(needed))}.map((name) => process.env[name]);
       console.log(JSON.stringify(settings), process.argv.slice(2).join(' '));
       process.exit(7);`,
    );
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in needed)));
    const child = Bun.spawn([process.execPath, script, 'one', 'two'], { env: { ...env, ...has }, stdout: 'pipe' });
    const lines = (await new Response(child.stdout).text()).trim().split('\n');
    return { pid: String(child.pid), lines, code: await child.exited };
  } finally {
    await rm(folder, { recursive: true });
  }
}
