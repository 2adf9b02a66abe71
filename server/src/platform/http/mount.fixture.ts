import { openLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { headerSets } from './headers.ts';
import { type HttpDeps, mountRoutes } from './mount.ts';
import type { Route } from './route.ts';

/** Routes that need no caller and no limit, served by themselves. */
export const mountAlone = (routes: Route[]): ReturnType<typeof mountRoutes> =>
  mountRoutes(routes, {
    authenticators: {} as HttpDeps['authenticators'],
    limiter: { shared: null as never, limitOf: () => 0, enabled: () => false },
    log: openLog('silent'),
    metrics: new Metrics(),
    trustedProxies: [],
    headers: headerSets(false),
    accessLog: () => false,
    recordAct: async () => {},
    idempotency: {} as never,
    userIdOf: () => null,
  });
