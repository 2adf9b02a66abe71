import type { User } from '../../identity/user.ts';
import { headerSets } from '../../platform/http/headers.ts';
import { type HttpDeps, mountRoutes } from '../../platform/http/mount.ts';
import type { Call } from '../../platform/http/route.ts';
import { openLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import type { Deps } from '../ports.ts';
import { orchestraRoutes } from './routes.ts';

const principal = (id: number) => ({
  user: { id } as User,
  keyId: null,
  models: [],
  unlimited: true,
  limitKey: `u${id}`,
});

/** This room's routes alone, called as over HTTP. */
export function openRouter(deps: Deps) {
  const shared = memoryShared();
  const router = mountRoutes(orchestraRoutes(deps), {
    // Whoever calls says who it is: telling callers apart is another room's work, tested there.
    authenticators: {
      keyOrSession: ({ request: { headers } }: Call) => principal(Number(headers.get('x-user') ?? 1)),
    } as unknown as HttpDeps['authenticators'],
    limiter: { shared, limitOf: () => 0, enabled: () => false },
    recordAct: async () => {},
    idempotency: {} as HttpDeps['idempotency'],
    userIdOf: () => null,
    log: openLog('silent'),
    metrics: new Metrics(),
    trustedProxies: [],
    headers: headerSets(false),
    accessLog: () => false,
  });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
    async call(method: string, path: string, body?: unknown, user = 1): Promise<{ status: number; body: any }> {
      const request = new Request(`http://localhost/api/svc-ms${path}`, {
        method,
        headers: {
          'x-user': `${user}`,
          ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        },
        body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
      });
      const response = await router.fetch(request);
      return { status: response.status, body: await response.json() };
    },
    close: () => shared.close(),
  };
}
