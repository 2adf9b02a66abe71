import { readdirSync, readFileSync } from 'node:fs';
import type { Subprocess } from 'bun';

export { freePort } from '../../server/src/lib/free-port.fixture.ts';

/** A server under measurement, in its own process. */
export interface Running {
  name: string;
  pid: number;
  url: string;
  stop(): Promise<void>;
}

/** Bun without our settings, which a benchmark's environment has, but for the number of requests that may be sent. */
export const plainBun = {
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  BUN_JSC_decommitUnusedMarkedBlockPages: '1',
  BUN_JSC_heapGrowthMaxIncrease: '2',
};

const ticksPerSecond = 100;

/** CPU seconds so far, including child processes. */
export function cpuSeconds(pid: number): number {
  return children(pid).reduce((sum, child) => sum + ofLiving(child), ownCpuSeconds(pid));
}

/** A child may end meanwhile, as those of PostgreSQL that clean up do. */
function ofLiving(child: number): number {
  try {
    return cpuSeconds(child);
  } catch {
    return 0;
  }
}

export function children(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/**
 * Per thread in nanoseconds if the kernel provides that, because with ticks of 10 ms a short measurement is mostly
 * rounding. Ended threads, such as compilers', are only known in ticks.
 */
function ownCpuSeconds(pid: number): number {
  const all = ticksOf(`/proc/${pid}`);
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
    const ran = threads.map((thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9);
    const ended = all - sum(threads.map(ticksOf));
    return sum(ran) + ended;
  } catch {
    return all;
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

function ticksOf(task: string): number {
  const text = readFileSync(`${task}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Memory including child processes. */
export function rssBytes(pid: number): number {
  return children(pid).reduce((sum, child) => sum + rssBytes(child), ownRssBytes(pid));
}

function ownRssBytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/** Starts a command and waits until `path` answers; if it does not, prints the command's output. */
export async function start(
  name: string,
  command: string[],
  options: {
    port: number;
    path?: string;
    env?: Record<string, string>;
    cwd?: string;
    anyStatus?: boolean;
    withinMs?: number;
  },
): Promise<Running> {
  const child = Bun.spawn(command, {
    env: { ...process.env, PORT: String(options.port), ...options.env },
    stdout: 'pipe',
    stderr: 'pipe',
    ...(options.cwd && { cwd: options.cwd }),
  });
  const url = `http://127.0.0.1:${options.port}`;
  const deadline = Date.now() + (options.withinMs ?? 30_000);
  for (;;) {
    const response = await fetch(url + (options.path ?? '/')).catch(() => null);
    if (response && (response.ok || options.anyStatus)) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`${name} did not start: ${await new Response(child.stderr).text()}`);
    }
    await Bun.sleep(20);
  }
  return { name, pid: child.pid, url, stop: () => end(child) };
}

async function end(child: Subprocess): Promise<void> {
  child.kill('SIGTERM');
  await Promise.race([child.exited, Bun.sleep(3_000)]);
  child.kill('SIGKILL');
  await child.exited;
}
