import { constantTimeEqual } from '../../lib/hashing.ts';
import type { Platform } from '../open.ts';
import { isLoopbackAddress } from './client-ip.ts';
import { addRetryAfter } from './retry-after.ts';
import type { Router } from './router.ts';

export interface SystemDeps {
  platform: Pick<Platform, 'database' | 'owners' | 'shared' | 'metrics'>;
  metricsToken?: string;
  /** On every answer. */
  headers: Record<string, string>;
  /** True once a shutdown has begun: load balancers should stop sending requests. */
  draining(): boolean;
}

const probeMs = 2_000;

/** Health and metrics for monitoring, without rate limits. */
export function mountSystem(router: Router, deps: SystemDeps): void {
  const headers = { ...deps.headers, 'cache-control': 'no-store' };
  router.add('GET', '/healthz', () => Response.json({ status: 'ok' }, { headers }));
  router.add('GET', '/readyz', async () => {
    const { status, body } = await readiness(deps);
    const answer = Response.json(body, { status, headers });
    return status === 503 ? addRetryAfter(answer, false) : answer;
  });
  router.add('GET', '/metrics', async (request, server) => {
    const peer = server?.requestIP?.(request)?.address ?? '127.0.0.1';
    if (!maySeeMetrics(peer, request.headers, deps.metricsToken)) {
      const message = 'Metrics are available only from loopback or with METRICS_TOKEN.';
      return Response.json({ success: false, message }, { status: 403, headers });
    }
    const text = await deps.platform.metrics.render();
    return new Response(text, { headers: { ...headers, 'content-type': 'text/plain; version=0.0.4' } });
  });
}

/** A proxy on the same machine connects from loopback, but adds one of these headers. */
const ofProxies = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

function maySeeMetrics(peer: string, headers: Headers, token: string | undefined): boolean {
  const bearer = /^bearer\s+(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (token && bearer && constantTimeEqual(bearer, token)) return true;
  return isLoopbackAddress(peer) && !ofProxies.some((name) => headers.has(name));
}

/** Ready means that everything is available; while Redis is away, requests are still served with local limits. */
async function readiness(deps: SystemDeps): Promise<{ status: number; body: object }> {
  const { database, owners, shared } = deps.platform;
  const reached = await answers(() => database.ping());
  const parts = {
    // Every process writes a heartbeat each second, so whether writes succeed is known without another one.
    database: reached === 'ok' && owners.silent ? 'unwritable' : reached,
    redis: shared.kind === 'memory' ? 'unused' : await answers(() => shared.ping()),
  };
  const failing = Object.entries(parts)
    .filter(([, state]) => state === 'unreachable' || state === 'unwritable')
    .map(([name]) => name);
  const ready = failing.length === 0 && !deps.draining();
  const status = deps.draining() ? 'draining' : ready ? 'ready' : 'unready';
  return { status: ready ? 200 : 503, body: { status, parts, failing } };
}

const answers = async (ping: () => Promise<void>) => ((await answersInMs(ping)) === null ? 'unreachable' : 'ok');

/** Null if it did not answer in time. */
export async function answersInMs(ping: () => Promise<void>): Promise<number | null> {
  const started = performance.now();
  const elapsed = () => Math.round((performance.now() - started) * 10) / 10;
  return Promise.race([ping().then(elapsed, () => null), Bun.sleep(probeMs).then(() => null)]);
}
