import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import { fileSpans, joinOldSpans } from './store/keep-spans.ts';
import { addUpDayBefore, fileSums } from './store/usage-totals.ts';
import type { Writer } from './writer.ts';

/** Whoever asks for totals adds up what came since: of so many seconds it is little. */
const fileMs = 20_000;
/** Between two days that are added up, or two spans, so that those who wait for the database get their turn. */
const pauseMs = 20;

/** Keeps the sums over all users, behind the requests that they are of. */
export function keepTotals(db: Db, writer: Writer, clock: Clock, log: Log): { stop(): Promise<void> } {
  let stopped = false;
  let whole = false;
  const work = async () => {
    await fileSums(db, writer.owner);
    await fileSpans(db);
    while (!stopped && (await joinOldSpans(db, nowSeconds(clock)))) await Bun.sleep(pauseMs);
    while (!whole && !stopped) {
      whole = !(await addUpDayBefore(db));
      if (!whole) await Bun.sleep(pauseMs);
    }
  };
  let running: Promise<void> | null = null;
  const run = () => {
    if (stopped) return;
    running ??= work()
      .catch((error) => log.warn({ error }, 'sums over all users are not up to date'))
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
