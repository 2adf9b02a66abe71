import type { Clock } from '../lib/clock.ts';

/** Something that must not be silent for too long. */
export interface Watched {
  /** When something last happened; of what was only `heard`, the look before. */
  lastMs: number;
  /** Something happened since the watchdog last looked: a flag costs less than the time, which every event would ask for. */
  heard: boolean;
  /** Silence after which `expired` is called, once: never sooner, and two looks later at most. */
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
  let previousMs = clock.nowMs();
  const timer = setInterval(() => {
    const now = clock.nowMs();
    for (const entry of entries) {
      if (entry.heard) {
        entry.heard = false;
        entry.lastMs = Math.max(entry.lastMs, previousMs);
      }
      if (now - entry.lastMs >= entry.silenceMs + tickMs) {
        entries.delete(entry);
        entry.expired();
      } else entry.tick?.(now);
    }
    previousMs = now;
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
