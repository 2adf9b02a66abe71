import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, rssBytes } from './process.ts';

export interface Load {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Used in rotation, one per simulated user. */
  keys?: string[];
  connections: number;
  seconds: number;
  /** The process whose CPU time is measured. */
  pid: number;
}

export interface Throughput {
  requestsPerSecond: number;
  cpuMicrosPerRequest: number;
  failures: number;
}

export interface Measured extends Throughput {
  /** 99th percentile of the response time. */
  p99Ms: number;
  /** At the end of the load, including child processes. */
  rssMiB: number;
}

/** wrk generates the load, in its own process: its cost per request is a fraction of any server's here. */
export async function run(load: Load): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wrk-'));
  const script = join(folder, 'load.lua');
  writeFileSync(script, scriptOf(load));
  const before = cpuSeconds(load.pid);
  const child = Bun.spawn(
    [
      'wrk',
      '-t1',
      `-c${load.connections}`,
      `-d${load.seconds}s`,
      '--latency',
      '--timeout',
      '10s',
      '-s',
      script,
      load.url,
    ],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  const text = await new Response(child.stdout).text();
  await child.exited;
  const cpu = cpuSeconds(load.pid) - before;
  const rssMiB = rssBytes(load.pid) / 2 ** 20;
  rmSync(folder, { recursive: true });
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0);
  if (requests === 0) throw new Error(`wrk measured nothing: ${text}`);
  const socketErrors = [.../(?:connect|read|write|timeout) (\d+)/g[Symbol.matchAll](text)].reduce(
    (sum, m) => sum + Number(m[1]),
    0,
  );
  const failures = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0) + socketErrors;
  return {
    requestsPerSecond: requests / load.seconds,
    cpuMicrosPerRequest: (cpu * 1e6) / requests,
    failures,
    p99Ms: p99Ms(text),
    rssMiB,
  };
}

const millisecondsPer: Record<string, number> = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 };

/** From the line `99%   12.24ms` of `wrk --latency`, which chooses the unit by the value. */
export function p99Ms(text: string): number {
  const [, value, unit] = /^\s*99%\s+([\d.]+)(us|ms|s|m)\s*$/m.exec(text) ?? [];
  if (!unit) throw new Error(`wrk reported no 99th percentile: ${text}`);
  return Number(value) * millisecondsPer[unit]!;
}

function scriptOf(load: Load): string {
  const quoted = (text: string) => `[==[${text}]==]`;
  const lines = [`wrk.method = ${quoted(load.method ?? 'GET')}`];
  if (load.body !== undefined) lines.push(`wrk.body = ${quoted(load.body)}`);
  for (const [name, value] of Object.entries(load.headers ?? {}))
    lines.push(`wrk.headers[ ${quoted(name)} ] = ${quoted(value)}`);
  if (load.keys)
    lines.push(
      `local keys = { ${load.keys.map((key) => quoted(`Bearer ${key}`)).join(', ')} }`,
      'local turn = 0',
      'request = function()',
      '  turn = turn % #keys + 1',
      '  wrk.headers["authorization"] = keys[turn]',
      '  return wrk.format()',
      'end',
    );
  return lines.join('\n');
}

export const hasWrk = (): boolean => Bun.which('wrk') !== null;
