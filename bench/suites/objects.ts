import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWrk, type Load, run } from '../kit/load.ts';
import { startBareProxy, startUpstream } from '../kit/peers.ts';
import type { Running } from '../kit/process.ts';
import { type Row, report, round } from '../kit/report.ts';
import { addChannel, chatBody, startService } from '../kit/service.ts';

const warmUpSeconds = 8;
const seconds = 2;
/** The most expensive kinds of allocations, by their names in JavaScriptCore. */
const kinds = {
  objects: 'Object',
  lists: 'Array',
  functions: 'Function',
  scopes: 'JSLexicalEnvironment',
  strings: 'string',
  promises: 'Promise',
  'async functions': 'AsyncFunctionGenerator',
};

/**
 * Objects a chat request allocates, counted with the garbage collector off: figures that other load on the machine does
 * not affect. Each object costs about a tenth of a microsecond, and there are hundreds.
 */
export async function objects(): Promise<void> {
  if (!hasWrk()) return console.log('objects: wrk is not installed (Debian package wrk); skipped');
  const folder = mkdtempSync(join(tmpdir(), 'svc-objects-'));
  const upstream = await startUpstream();
  const counted = (name: string) => ({
    BUN_OPTIONS: `--preload ${join(import.meta.dir, '../kit/heap-counts.ts')}`,
    BUN_JSC_useGC: '0',
    HEAP_COUNTS: join(folder, name),
  });
  const bare = await startBareProxy(upstream, counted('bare'));
  const service = await startService(counted('svc'));
  try {
    await addChannel(service, upstream.url);
    const json = { 'content-type': 'application/json' };
    report(
      'objects',
      [
        await made(bare, json, join(folder, 'bare')),
        await made(service, { ...json, authorization: `Bearer ${service.key}` }, join(folder, 'svc')),
      ],
      [],
    );
  } finally {
    for (const running of [bare, service, upstream]) await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function made(running: Running, headers: Record<string, string>, file: string): Promise<Row> {
  const load: Omit<Load, 'seconds'> = {
    url: `${running.url}/v1/chat/completions`,
    method: 'POST',
    headers,
    body: chatBody(),
    connections: 64,
    pid: running.pid,
  };
  // Warm up, because optimised code omits some allocations.
  await run({ ...load, seconds: warmUpSeconds });
  const before = await countsOf(running, file);
  const { requestsPerSecond } = await run({ ...load, seconds });
  const after = await countsOf(running, file);
  const requests = requestsPerSecond * seconds;
  const figures = Object.entries(kinds).map(([name, type]) => [
    name,
    round(((after[type] ?? 0) - (before[type] ?? 0)) / requests, 1),
  ]);
  return { what: running.name, figures: Object.fromEntries(figures) };
}

async function countsOf({ pid }: Running, file: string): Promise<Record<string, number>> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await Bun.sleep(100);
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // Not written yet, or incomplete.
    }
  }
}
