import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import { fileSpans, mergeOldSpans } from './store/roll-up-spans.ts';
import { addUpPreviousDay, fileSums } from './store/usage-totals.ts';

/** Reading totals adds up the rows since the last run: with this interval they are few. */
const fileMs = 20_000;
/** Pause between two days or two spans, so that other queries get their turn. */
const pauseMs = 20;

/** Maintains the sums over all users in the background. */
export function keepTotals(db: Db, clock: Clock, log: Log): { stop(): Promise<void> } {
  let stopped = false;
  let whole = false;
  const work = async () => {
    await fileSums(db);
    await fileSpans(db);
    while (!stopped && (await mergeOldSpans(db, nowSeconds(clock)))) await Bun.sleep(pauseMs);
    while (!whole && !stopped) {
      whole = !(await addUpPreviousDay(db));
      if (!whole) await Bun.sleep(pauseMs);
    }
  };
  let running: Promise<void> | null = null;
  const run = () => {
    if (stopped) return;
    running ??= work()
      .catch((error) => log.warn({ error }, 'totals of all users are not up to date'))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(run, fileMs);
  timer.unref();
  run();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
