import type { Clock } from '../lib/clock.ts';

/** Something that must not be silent for too long. */
export interface Watched {
  /** When something last happened. */
  lastMs: number;
  /** Silence after which `expired` is called, once. */
  silenceMs: number;
  expired(): void;
  /** Called while it is watched, about four times a second. */
  tick?(nowMs: number): void;
}

export interface Watchdog {
  watch(entry: Watched): void;
  forget(entry: Watched): void;
  readonly size: number;
  close(): void;
}

const tickMs = 250;

/** One timer for every open call: thousands of streams would otherwise set and clear thousands of timers a second. */
export function openWatchdog(clock: Clock): Watchdog {
  const entries = new Set<Watched>();
  const timer = setInterval(() => {
    const now = clock.nowMs();
    for (const entry of entries) {
      if (now - entry.lastMs >= entry.silenceMs) {
        entries.delete(entry);
        entry.expired();
      } else entry.tick?.(now);
    }
  }, tickMs);
  timer.unref();
  return {
    watch: (entry) => {
      entries.add(entry);
    },
    forget: (entry) => {
      entries.delete(entry);
    },
    get size() {
      return entries.size;
    },
    close: () => clearInterval(timer),
  };
}
