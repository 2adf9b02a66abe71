import type { Log } from './platform/log.ts';
import { ownProgram } from './platform/own-program.ts';

/** Set in a worker's environment, so that it serves instead of starting workers. */
export const workerVariable = 'SVC_WORKER';

const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A worker that lived this long was not prevented from serving by what a restart would meet again. */
const soundMs = 60_000;

/** Pauses before restarts grow while workers keep dying young: whatever they lack is not there sooner for being asked more often. */
export const nextPauseMs = (lastMs: number, livedMs: number): number =>
  livedMs >= soundMs ? shortestPauseMs : Math.min(longestPauseMs, Math.max(shortestPauseMs, lastMs * 2));

/** Called by a worker as soon as it serves. */
export const tellSupervisor = (): void => void process.send?.('serving');

/**
 * Starts `count` processes that share one port (SO_REUSEPORT), restarts those that die, and forwards signals. Resolves
 * with the exit code once all have ended after a stop. The first one shows whether the service can start at all: if it
 * ends before it serves, having said why, nothing is restarted, as with a single process.
 */
export async function superviseWorkers(
  count: number,
  environment: Record<string, string | undefined>,
  log: Log,
): Promise<number> {
  const running = new Set<Bun.Subprocess>();
  const stopped = Promise.withResolvers<void>();
  let stopping = false;

  const start = (index: number, serves: () => void): Bun.Subprocess => {
    const worker = Bun.spawn([...ownProgram(), ...process.argv.slice(2)], {
      env: { ...environment, [workerVariable]: String(index) },
      // Nothing is ever written to it: its end tells the worker that the supervisor is gone, see whenOrphaned.
      stdio: ['pipe', 'inherit', 'inherit'],
      ipc: serves,
    });
    running.add(worker);
    void worker.exited.then(() => running.delete(worker));
    return worker;
  };
  const keepAlive = async (index: number, first?: Bun.Subprocess): Promise<number> => {
    let pauseMs = 0;
    for (let worker = first ?? start(index, () => {}); ; worker = start(index, () => {})) {
      const begun = performance.now();
      const code = await worker.exited;
      if (stopping) return code;
      pauseMs = nextPauseMs(pauseMs, performance.now() - begun);
      log.error({ worker: index, code, seconds: pauseMs / 1_000 }, 'a worker exited unexpectedly; restarting it');
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
      if (stopping) return code;
    }
  };
  const stop = () => {
    stopping = true;
    stopped.resolve();
    for (const worker of running) worker.kill('SIGTERM');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const serving = Promise.withResolvers<null>();
  const first = start(1, () => serving.resolve(null));
  const failed = await Promise.race([serving.promise, first.exited]);
  if (failed !== null) return failed;
  const others = Array.from({ length: stopping ? 0 : count - 1 }, (_, n) => keepAlive(n + 2));
  return Math.max(...(await Promise.all([keepAlive(1, first), ...others])));
}

/**
 * A worker that outlives a killed supervisor would hold the port beside its successors, with old code. The system
 * closes the pipe between them however the supervisor ends, even if the worker starts to look only afterwards.
 */
export async function whenOrphaned(act: () => void): Promise<void> {
  const reader = Bun.stdin.stream().getReader();
  try {
    while (!(await reader.read()).done);
  } catch {
    // An unreadable pipe has no other end, either.
  }
  act();
}
