import type { Log } from './platform/log.ts';

/** Set in the environment of a worker, so that it serves instead of starting workers of its own. */
export const workerVariable = 'SVC_WORKER';

/** A worker that dies is started again, but not faster than this: one that cannot start would otherwise spin. */
const restartMs = 1_000;

/**
 * Starts `count` processes that share one port (SO_REUSEPORT), starts anew those that die, and hands signals on. Resolves
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
      const worker = Bun.spawn([process.execPath, ...ownArguments()], {
        env: { ...environment, [workerVariable]: String(index) },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      running.add(worker);
      const code = await worker.exited;
      running.delete(worker);
      if (stopping) return code;
      log.error({ worker: index, code }, 'a worker ended by itself; starting it again');
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

const lookMs = 1_000;

/** A worker left behind by a supervisor that was killed would hold the port beside its successors, with old code. */
export function whenOrphaned(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, lookMs);
  timer.unref();
}

/** A compiled executable carries its own entry point. */
function ownArguments(): string[] {
  const script = process.argv[1] ?? '';
  return script.startsWith('/$bunfs/') ? process.argv.slice(2) : process.argv.slice(1);
}
