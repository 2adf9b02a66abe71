import type { Log } from './platform/log.ts';
import { ownProgram } from './platform/own-program.ts';

/** Set in a worker's environment, so that it serves instead of starting workers. */
export const workerVariable = 'SVC_WORKER';

/** Minimum restart interval of a worker, so that one that cannot start does not spin. */
const restartMs = 1_000;

/**
 * Starts `count` processes that share one port (SO_REUSEPORT), restarts those that die, and forwards signals. Resolves
 * with the exit code once all have ended after a stop.
 */
export async function superviseWorkers(
  count: number,
  environment: Record<string, string | undefined>,
  log: Log,
): Promise<number> {
  const running = new Set<Bun.Subprocess>();
  let stopping = false;

  const keepAlive = async (index: number): Promise<number> => {
    for (;;) {
      const worker = Bun.spawn([...ownProgram(), ...process.argv.slice(2)], {
        env: { ...environment, [workerVariable]: String(index) },
        // Nothing is ever written to it: its end tells the worker that the supervisor is gone, see whenOrphaned.
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      running.add(worker);
      const code = await worker.exited;
      running.delete(worker);
      if (stopping) return code;
      log.error({ worker: index, code }, 'a worker exited unexpectedly; restarting it');
      await Bun.sleep(restartMs);
      if (stopping) return code;
    }
  };
  const stop = (signal: NodeJS.Signals) => {
    stopping = true;
    for (const worker of running) worker.kill(signal);
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGTERM'));
  const codes = await Promise.all(Array.from({ length: count }, (_, index) => keepAlive(index + 1)));
  return Math.max(...codes);
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
