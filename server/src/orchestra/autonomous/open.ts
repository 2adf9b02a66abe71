import { nowSeconds } from '../../lib/clock.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Deps } from '../ports.ts';
import { type Control, newControl } from './control.ts';
import { autonomousRoutes } from './routes.ts';
import { openRunner } from './runner.ts';
import { sweepEvents } from './store/reads.ts';
import { openTails } from './tails.ts';

export interface Autonomous {
  routes: Route[];
  control: Control;
  /** Takes up what a former process left, and looks for orphaned runs from now on. */
  start(): Promise<void>;
  /** Ends event streams; readers come back to another process with their Last-Event-ID. */
  drain(): void;
  /** Gives running executions back, to be gone on with by another process or after the restart. */
  stop(): Promise<void>;
  /** Takes over runs whose process is gone; by itself whenever one has. Answers how many. */
  adopt(): Promise<number>;
  /** Removes events past their time, a bounded number at once. */
  sweep(): Promise<void>;
}

/** Autonomous execution on top of the orchestration engine. */
export function openAutonomous(deps: Deps & { shared: Shared }, guardMs?: number): Autonomous {
  const runner = openRunner(deps, guardMs);
  const tails = openTails(deps.db, deps.shared);
  const control = newControl(deps, runner);
  return {
    control,
    routes: autonomousRoutes({ deps, control, tails }),
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
