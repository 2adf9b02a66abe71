import { readdirSync } from 'node:fs';
import type { Billing } from './billing/billing.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Platform } from './platform/open.ts';
import type { Watchdog } from './relay/watchdog.ts';
import { circuitKeys } from './routing/keyed-candidates.ts';
import type { Routing } from './routing/routing.ts';

/** Read when Prometheus scrapes. Database counts cover the whole service, the others this process. */
export function addGauges(
  { metrics, jobs }: Pick<Platform, 'metrics' | 'jobs'>,
  rooms: { billing: Billing; watchdog: Watchdog; routing: Routing },
): void {
  const { billing, watchdog, routing } = rooms;
  addProcessGauges(metrics);
  metrics.gauge('svc_open_upstream_calls', 'Calls to upstreams under way, streams included.', () => watchdog.size);
  metrics.readings('svc_jobs', 'Waiting and running jobs, per queue.', 'gauge', async () =>
    Object.entries(await jobs.depth()).map(([queue, value]) => ({ labels: { queue }, value })),
  );
  metrics.readings('svc_open_holds', 'Requests with money put aside.', 'gauge', async () => [
    { value: (await billing.openHolds()).holds },
  ]);
  metrics.readings('svc_held_quota', 'Money put aside, in quota.', 'gauge', async () => [
    { value: (await billing.openHolds()).amount },
  ]);
  metrics.readings(
    'svc_circuits',
    'Candidates (provider, model, channel, credential) by state of their circuit.',
    'gauge',
    () => circuits(routing),
  );
}

async function circuits({ parts }: Routing) {
  const counts = { closed: 0, half_open: 0, open: 0 };
  for (const candidate of await parts.deps.catalog.allCandidates())
    for (const key of circuitKeys(candidate)) counts[parts.breaker.state(key)] += 1;
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
}

/** Named as Prometheus's own client libraries name them, so that common dashboards work. */
function addProcessGauges(metrics: Metrics): void {
  const startSeconds = Math.round(Date.now() / 1000 - process.uptime());
  metrics.gauge('process_start_time_seconds', 'When the process started, Unix seconds.', () => startSeconds);
  metrics.gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss());
  metrics.readings('process_cpu_seconds_total', 'Processor time used.', 'counter', () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  });
  if (process.platform === 'linux')
    metrics.gauge('process_open_fds', 'Open files and sockets.', () => readdirSync('/proc/self/fd').length);
}
