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
  metrics.gauge('svc_open_upstream_calls', 'Upstream calls in progress, including streams.', () => watchdog.size);
  metrics.readings('svc_jobs', 'Waiting and running jobs by queue.', 'gauge', async () =>
    Object.entries(await jobs.depth()).map(([queue, value]) => ({ labels: { queue }, value })),
  );
  metrics.readings('svc_open_holds', 'Requests with an open hold on the balance.', 'gauge', async () => [
    { value: (await billing.openHolds()).holds },
  ]);
  metrics.readings('svc_held_quota', 'Amount held for open requests, in quota units.', 'gauge', async () => [
    { value: (await billing.openHolds()).amount },
  ]);
  metrics.readings(
    'svc_circuits',
    'Candidates (provider, model, channel, credential) by circuit breaker state.',
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
  metrics.gauge('process_start_time_seconds', 'Start time of the process, in Unix seconds.', () => startSeconds);
  metrics.gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  metrics.readings('process_cpu_seconds_total', 'CPU time used, in seconds.', 'counter', () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  });
  if (process.platform === 'linux')
    metrics.gauge('process_open_fds', 'Open files and sockets.', () => readdirSync('/proc/self/fd').length);
}
