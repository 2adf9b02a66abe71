import { setPriority } from 'node:os';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** A disk that rots does so over weeks; reading everything once a day costs little and is before the last good backup goes. */
const dayMs = 24 * 3_600_000;
/** The first look comes soon after the start, since some are restarted every day, but not while everybody comes back. */
const firstMs = 60_000;
const lookMs = 10_000;
/** The child is to take what others leave. */
const kindness = 10;

interface DamageWatchDeps {
  /** Ends with 0 when all is well, with 1 and a line that says what is not. */
  command: string[];
  env: Record<string, string | undefined>;
  log: Pick<Log, 'error' | 'warn'>;
  metrics: Metrics;
  /** Told after every look; nothing when all is well. */
  looked(damage: string | undefined): void;
  clock?: Clock;
}

/** Looks for damage in the database now and then, in a process of its own: reading it all would hold the loop. */
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
  metrics.gauge('svc_database_damaged', '1 when the last look at the SQLite file found damage.', () => damaged);
  const look = async (): Promise<void> => {
    child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
    try {
      setPriority(child.pid, kindness);
    } catch {
      // It has ended already, or the system does not let us.
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
    void look().catch((error) => log.warn({ error }, 'the database could not be looked at for damage'));
  });
  return () => {
    stop();
    child?.kill();
  };
}
