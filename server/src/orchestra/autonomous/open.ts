import { nowSeconds } from '../../lib/clock.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Deps } from '../ports.ts';
import { type Control, newControl } from './control.ts';
import { openTails } from './event-tails.ts';
import { autonomousRoutes, type RouteDeps } from './routes.ts';
import { openRunner } from './runner.ts';
import { sweepEvents } from './store/reads.ts';

export interface Autonomous {
  routes: Route[];
  control: Control;
  /** Adopts runs left by an earlier process, and looks for orphaned runs from now on. */
  start(): Promise<void>;
  /** Ends event streams; clients reconnect to another process with their Last-Event-ID. */
  drain(): void;
  /** Releases the running executions, so that another process continues them, or this one after a restart. */
  stop(): Promise<void>;
  /** Takes over runs whose process is gone; also happens automatically when a process dies. Returns how many. */
  adopt(): Promise<number>;
  /** Deletes expired events, a bounded number per call. */
  sweep(): Promise<void>;
}

type AutonomousDeps = Deps & Pick<RouteDeps, 'recheckCaller' | 'stopping'> & { shared: Shared };

/** Autonomous execution, built on the orchestration engine. */
export function openAutonomous(deps: AutonomousDeps, guardMs?: number): Autonomous {
  const runner = openRunner(deps, guardMs);
  const tails = openTails(deps.db, deps.shared);
  const control = newControl(deps, runner);
  return {
    control,
    routes: autonomousRoutes({ deps, control, tails, recheckCaller: deps.recheckCaller, stopping: deps.stopping }),
    start: () => runner.start(),
    adopt: () => runner.adopt(),
    drain: () => tails.close(),
    stop: async () => {
      tails.close();
      await runner.stop();
    },
    sweep: async () => {
      await sweepEvents(deps.db, nowSeconds(deps.clock));
    },
  };
}
