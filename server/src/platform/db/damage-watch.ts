import { setPriority } from 'node:os';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** A failing disk takes weeks; checking once a day is cheap, and early enough to still have a good backup. */
const dayMs = 24 * 3_600_000;
/**
 * The first check runs soon after the start, since some services restart daily, but not while all clients reconnect.
 */
const firstMs = 60_000;
const lookMs = 10_000;
/** The niceness of the child process. */
const kindness = 10;

interface DamageWatchDeps {
  /** Exits with 0 if the file is fine, with 1 and a line about the problem otherwise. */
  command: string[];
  env: Record<string, string | undefined>;
  log: Pick<Log, 'error' | 'warn'>;
  metrics: Metrics;
  /** Called after every check; undefined if the file is fine. */
  looked(damage: string | undefined): void;
  clock?: Clock;
}

/**
 * Periodically checks the database for corruption, in a child process: reading all of it would block the event loop.
 */
export function watchForDamage({
  command,
  env,
  log,
  metrics,
  looked,
  clock = systemClock,
}: DamageWatchDeps): () => void {
  let damaged = 0;
  let child: Bun.Subprocess<'ignore', 'pipe', 'ignore'> | undefined;
  let nextMs = clock.nowMs() + firstMs;
  metrics.gauge('svc_database_damaged', '1 if the last check of the SQLite file found damage.', () => damaged);
  const look = async (): Promise<void> => {
    child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
    try {
      setPriority(child.pid, kindness);
    } catch {
      // It has already exited, or the system does not permit it.
    }
    const said = await new Response(child.stdout).text();
    const code = await child.exited;
    if (child.signalCode) return;
    damaged = code === 0 ? 0 : 1;
    looked(damaged ? said.trim() : undefined);
    if (damaged) log.error({ found: said.trim() }, 'the database is damaged; restore a backup: see the operator guide');
  };
  const stop = clock.every(lookMs, () => {
    if (child && child.exitCode === null && child.signalCode === null) return;
    if (clock.nowMs() < nextMs) return;
    nextMs = clock.nowMs() + dayMs;
    void look().catch((error) => log.warn({ error }, 'the database could not be checked for damage'));
  });
  return () => {
    stop();
    child?.kill();
  };
}
