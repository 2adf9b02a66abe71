import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import type { Billing } from './billing/billing.ts';
import type {} from './identity/principals.ts';
import { nowSeconds } from './lib/clock.ts';
import { answered, management } from './platform/http/answers.ts';
import { defineRoute, ok, type Route } from './platform/http/route.ts';
import { answersInMs } from './platform/http/system-routes.ts';
import type { Platform } from './platform/open.ts';
import type { Watchdog } from './relay/watchdog.ts';
import type { Catalog } from './routing/catalog/catalog.ts';

export interface SystemPageDeps {
  platform: Pick<Platform, 'clock' | 'database' | 'shared' | 'jobs' | 'blobs'>;
  billing: Pick<Billing, 'openHolds'>;
  catalog: Pick<Catalog, 'demo' | 'builtInActive'>;
  watchdog: Pick<Watchdog, 'size'>;
  baseUrl: string;
}

const count = z.number().int();
const milliseconds = z.number().nullable();

const shape = z
  .object({
    version: z.string(),
    runtime: z.string(),
    pid: count,
    base_url: z.string(),
    started_at: count,
    uptime_seconds: count,
    engines: z.object({
      database: z.enum(['sqlite', 'postgres']),
      shared: z.enum(['memory', 'redis']),
      blobs: z.enum(['disk', 's3']),
    }),
    answers_in_ms: z.object({ database: milliseconds, shared: milliseconds }),
    shared_fault: z.string().nullable().describe('Why Redis cannot be used, and what to do; null while it can.'),
    queues: z.array(z.object({ queue: z.string(), jobs: count })),
    memory: z.object({ rss_bytes: count, heap_used_bytes: count }),
    open_holds: z.object({ holds: count, amount: count }),
    open_upstream_calls: count,
    built_in: z.object({ mode: z.enum(['auto', 'on', 'off']), active: z.boolean() }),
  })
  .meta({ id: 'SystemState' });

async function stateOf(deps: SystemPageDeps, startedAt: number): Promise<z.infer<typeof shape>> {
  const { platform, catalog } = deps;
  const { database, shared, blobs } = platform;
  const [databaseMs, sharedMs, depth, holds] = await Promise.all([
    answersInMs(() => database.ping()),
    answersInMs(() => shared.ping()),
    platform.jobs.depth(),
    deps.billing.openHolds(),
  ]);
  const { rss, heapUsed } = process.memoryUsage();
  return {
    version: packageJson.version,
    runtime: `Bun ${Bun.version}`,
    pid: process.pid,
    base_url: deps.baseUrl,
    started_at: startedAt,
    uptime_seconds: Math.floor(process.uptime()),
    engines: {
      database: database.engine,
      shared: shared.kind,
      blobs: blobs.kind,
    },
    answers_in_ms: { database: databaseMs, shared: sharedMs },
    shared_fault: shared.fault(),
    queues: Object.entries(depth).map(([queue, jobs]) => ({ queue, jobs })),
    memory: { rss_bytes: rss, heap_used_bytes: heapUsed },
    open_holds: holds,
    open_upstream_calls: deps.watchdog.size,
    built_in: { mode: catalog.demo, active: catalog.builtInActive() },
  };
}

/** What an operator asks first: which version, on which engines, and its state. Describes one process. */
export function systemPageRoutes(deps: SystemPageDeps): Route[] {
  const startedAt = nowSeconds(deps.platform.clock);
  return [
    defineRoute({
      method: 'get',
      path: '/api/admin/system',
      summary: 'Get the version, engines, queues and memory of the current process',
      tag: 'Administration',
      auth: 'admin',
      ...management,
      answers: { 200: answered(shape) },
      handle: async (call) => ok(call, await stateOf(deps, startedAt)),
    }),
  ];
}
