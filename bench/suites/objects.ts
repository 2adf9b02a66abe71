import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWrk, run } from '../kit/load.ts';
import { startBareProxy, startUpstream } from '../kit/peers.ts';
import type { Running } from '../kit/process.ts';
import { type Row, report, round } from '../kit/report.ts';
import { addChannel, chatBody, startService, thisCheckout } from '../kit/service.ts';
import { type Contender, connect, of2025, ofNewest, startMcpUpstream, throughProxy } from '../kit/tool-calls.ts';

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
  report('objects', [...(await ofChat()), ...(await ofToolCalls())], []);
}

async function ofChat(): Promise<Row[]> {
  const upstream = await startUpstream();
  const bare = await counted((env) => startBareProxy(upstream, env));
  const service = await counted(fromSources);
  const json = { 'content-type': 'application/json' };
  const chat = (running: Running, more: object = {}): Contender => ({
    ...{ url: `${running.url}/v1/chat/completions`, headers: { ...json, ...more }, body: chatBody() },
  });
  try {
    await addChannel(service, upstream.url);
    return [
      await made(bare, 'chat, bare Bun proxy', chat(bare)),
      await made(service, 'chat, svc', chat(service, { authorization: `Bearer ${service.key}` })),
    ];
  } finally {
    for (const running of [bare, service, upstream]) await running.stop();
  }
}

async function ofToolCalls(): Promise<Row[]> {
  const upstream = await startMcpUpstream();
  const bare = await counted((env) => startBareProxy(upstream, env));
  const service = await counted((env) => fromSources({ ...env, ALLOW_PRIVATE_WEBHOOKS: '1' }));
  try {
    await connect(service, `${upstream.url}/mcp`);
    return [
      await made(bare, 'tool, bare Bun proxy', throughProxy(bare)),
      await made(service, 'tool, svc, a 2025 client', await of2025(service)),
      await made(service, 'tool, svc, a 2026-07-28 client', ofNewest(service)),
    ];
  } finally {
    for (const running of [bare, service, upstream]) await running.stop();
  }
}

/** The executable does not load the program that counts. */
const fromSources = (env: Record<string, string>) => startService(env, 'svc', thisCheckout);

type Counted = Running & { counts: string };

async function counted<R extends Running>(begin: (env: Record<string, string>) => Promise<R>): Promise<R & Counted> {
  const counts = join(tmpdir(), `svc-objects-${crypto.randomUUID()}.json`);
  const running = await begin({
    BUN_OPTIONS: `--preload ${join(import.meta.dir, '../kit/heap-counts.ts')}`,
    BUN_JSC_useGC: '0',
    HEAP_COUNTS: counts,
  });
  return { ...running, counts };
}

async function made(running: Counted, what: string, contender: Contender): Promise<Row> {
  const load = { ...contender, method: 'POST', connections: 64, pid: running.pid };
  // Warm up, because optimised code omits some allocations.
  await run({ ...load, seconds: warmUpSeconds });
  const before = await countsOf(running);
  const { requestsPerSecond, failures } = await run({ ...load, seconds });
  if (failures > 0) throw new Error(`${what}: ${failures} requests failed`);
  const after = await countsOf(running);
  const requests = requestsPerSecond * seconds;
  const figures = Object.entries(kinds).map(([name, type]) => [
    name,
    round(((after[type] ?? 0) - (before[type] ?? 0)) / requests, 1),
  ]);
  return { what, figures: Object.fromEntries(figures) };
}

async function countsOf({ pid, counts }: Counted): Promise<Record<string, number>> {
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await Bun.sleep(100);
    try {
      const made = JSON.parse(readFileSync(counts, 'utf8'));
      rmSync(counts);
      return made;
    } catch {
      // Not written yet, or incomplete.
    }
  }
}
