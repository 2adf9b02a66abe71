import type { Route } from '../../platform/http/route.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { endings } from './endings.ts';
import type { OpenSessions, RealtimeDeps } from './open-session.ts';
import { realtimeRoutes } from './routes.ts';

export interface Realtime {
  routes: Route[];
  /** Sessions end as soon as they are idle. */
  drain(): void;
  /** Ends all sessions; resolves when they are charged. */
  stop(): Promise<void>;
}

export function openRealtime(deps: Omit<RealtimeDeps, 'sessions'> & { metrics: Pick<Metrics, 'gauge'> }): Realtime {
  const sessions: OpenSessions = { here: new Set(), draining: false };
  deps.metrics.gauge('svc_realtime_sessions', 'Open realtime sessions.', () => sessions.here.size);
  return {
    routes: realtimeRoutes({ ...deps, sessions }),
    drain: () => {
      sessions.draining = true;
      for (const session of sessions.here) session.drain();
    },
    stop: async () => {
      await Promise.all([...sessions.here].map((session) => session.end(endings.stopping())));
    },
  };
}
