import { constantTimeEqual } from '../../lib/hashing.ts';
import type { Platform } from '../open.ts';
import { parseAddress } from './client-ip.ts';
import type { HttpApp } from './mount.ts';

export interface SystemDeps {
  platform: Pick<Platform, 'database' | 'shared' | 'metrics'>;
  metricsToken?: string;
  /** True once the process was told to stop: balancers should send no more. */
  draining(): boolean;
}

const noStore = { 'cache-control': 'no-store' };
const probeMs = 2_000;

/** Health and metrics: for machines that watch, outside the limits of callers. */
export function mountSystem(app: HttpApp, deps: SystemDeps): void {
  app.get('/healthz', () => Response.json({ status: 'ok' }, { headers: noStore }));
  app.get('/readyz', () => readiness(deps));
  app.get('/metrics', async (c) => {
    const peer = c.env?.requestIP?.(c.req.raw)?.address ?? '127.0.0.1';
    const bearer = /^bearer\s+(.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const allowed = deps.metricsToken ? bearer && constantTimeEqual(bearer, deps.metricsToken) : isLoopback(peer);
    if (!allowed && !(deps.metricsToken && isLoopback(peer) && !c.req.header('x-forwarded-for')))
      return Response.json({ success: false, message: 'Metrics are for loopback or METRICS_TOKEN.' }, { status: 403 });
    return new Response(await deps.platform.metrics.render(), {
      headers: { 'content-type': 'text/plain; version=0.0.4' },
    });
  });
}

const isLoopback = (ip: string): boolean => {
  const parsed = parseAddress(ip);
  return parsed !== null && (parsed.v6 ? parsed.bits === 1n : parsed.bits >> 24n === 127n);
};

/** Ready means everything is there (contract §1), though requests go on with local limits while Redis is away. */
async function readiness(deps: SystemDeps): Promise<Response> {
  const { database, shared } = deps.platform;
  const parts = {
    database: await answers(() => database.ping()),
    redis: shared.kind === 'memory' ? 'unused' : await answers(() => shared.ping()),
  };
  const failing = Object.entries(parts)
    .filter(([, state]) => state === 'unreachable')
    .map(([name]) => name);
  const ready = failing.length === 0 && !deps.draining();
  const status = deps.draining() ? 'draining' : ready ? 'ready' : 'unready';
  return Response.json({ status, parts, failing }, { status: ready ? 200 : 503, headers: noStore });
}

async function answers(ping: () => Promise<void>): Promise<'ok' | 'unreachable'> {
  return Promise.race([
    ping().then(
      () => 'ok' as const,
      () => 'unreachable' as const,
    ),
    Bun.sleep(probeMs).then(() => 'unreachable' as const),
  ]);
}
