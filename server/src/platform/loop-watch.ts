import type { Metrics } from './metrics.ts';

/** Often enough to see every noticeable stall, rarely enough to cost nothing. */
const everyMs = 50;

export interface LoopWatch {
  start(): void;
  stop(): void;
}

/** Measures event loop lag: anything slow and synchronous delays every stream of the process. */
export function openLoopWatch(metrics: Metrics, now: () => number = () => performance.now()): LoopWatch {
  const observe = metrics.histogram('svc_event_loop_delay_seconds', 'Delay of the event loop.');
  let timer: Timer | undefined;
  return {
    start: () => {
      let due = now() + everyMs;
      timer = setInterval(() => {
        const late = now() - due;
        observe(Math.max(0, late) / 1000);
        due = now() + everyMs;
      }, everyMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
