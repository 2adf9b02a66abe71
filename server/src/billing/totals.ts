import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import { addUpDayBefore, fileSums } from './store/usage-totals.ts';
import type { Writer } from './writer.ts';

/** Whoever asks for totals adds up what came since: of so many seconds it is little. */
const fileMs = 20_000;
/** Between two days that are added up, so that those who wait for the database get their turn. */
const pauseMs = 20;

/** Keeps the sums over all users, behind the requests that they are of. */
export function keepTotals(db: Db, writer: Writer, log: Log): { stop(): Promise<void> } {
  let stopped = false;
  let whole = false;
  const work = async () => {
    await fileSums(db, writer.owner);
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
