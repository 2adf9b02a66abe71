import { Growth } from '../../platform/http/growth.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type OpenSockets, responseSocketRoutes, type SocketsDeps } from './routes.ts';

export interface ResponseSockets {
  routes: Route[];
  /** Connections end as soon as nothing is under way on them. */
  drain(): void;
  stop(): void;
}

/** Responses over WebSockets, as OpenAI and its clients have them: each is a request like any other, with its limits, rights and price. */
export function openResponseSockets(deps: SocketsDeps & { metrics: Pick<Metrics, 'gauge'> }): ResponseSockets {
  const sockets: OpenSockets = { here: new Set(), growth: new Growth(), draining: false };
  const { here } = sockets;
  deps.metrics.gauge('svc_response_sockets', 'Open connections for responses over WebSockets.', () => here.size);
  return {
    routes: responseSocketRoutes(deps, sockets),
    drain: () => {
      sockets.draining = true;
      for (const socket of here) socket.drain();
    },
    stop: () => {
      for (const socket of here) socket.close(1001, 'The service is stopping. Connect anew.');
    },
  };
}
