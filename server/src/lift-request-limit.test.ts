import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('a process without the variable replaces itself by one that has it, keeping pid, arguments and exit code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-lift-'));
  try {
    const script = join(folder, 'main.ts');
    await Bun.write(
      script,
      `import { liftRequestLimit } from ${JSON.stringify(join(import.meta.dir, 'lift-request-limit.ts'))};
       console.log(process.pid);
       liftRequestLimit();
       console.log(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS, process.argv.slice(2).join(' '));
       process.exit(7);`,
    );
    const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...env } = process.env;
    const child = Bun.spawn([process.execPath, script, 'one', 'two'], { env, stdout: 'pipe' });
    const lines = (await new Response(child.stdout).text()).trim().split('\n');
    expect(lines).toEqual([String(child.pid), String(child.pid), '65535 one two']);
    expect(await child.exited).toBe(7);
  } finally {
    await rm(folder, { recursive: true });
  }
});
