import { MemoryBudget } from '../../platform/http/memory-budget.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type OpenSockets, responseSocketRoutes, type SocketsDeps } from './routes.ts';

export interface ResponseSockets {
  routes: Route[];
  /** Connections end as soon as they are idle. */
  drain(): void;
  stop(): void;
}

/** OpenAI's Responses API over WebSockets: each response is an ordinary request with its limits, rights and price. */
export function openResponseSockets(deps: SocketsDeps & { metrics: Pick<Metrics, 'gauge'> }): ResponseSockets {
  const sockets: OpenSockets = { here: new Set(), memoryBudget: new MemoryBudget(), draining: false };
  const { here } = sockets;
  deps.metrics.gauge('svc_response_sockets', 'Open connections for responses over WebSockets.', () => here.size);
  return {
    routes: responseSocketRoutes(deps, sockets),
    drain: () => {
      sockets.draining = true;
      for (const socket of here) socket.drain();
    },
    stop: () => {
      for (const socket of here) socket.close(1001, 'The service is stopping. Reconnect.');
    },
  };
}
