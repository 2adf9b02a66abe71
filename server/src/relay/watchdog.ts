import type { Clock } from '../lib/clock.ts';

/** Something that must not be silent for too long. */
export interface Watched {
  /** When something last happened; of what was only `heard`, the look before. */
  lastMs: number;
  /** Something happened since the watchdog last looked: a flag costs less than the time, which every event would ask for. */
  heard: boolean;
  /** Silence after which `expired` is called, once: never sooner, and two looks later at most. */
  silenceMs: number;
  /** The watchdog's own: where it stands among the others, -1 for nowhere. */
  place: number;
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

/**
 * One timer for every open call: thousands of streams would otherwise set and clear thousands of timers a second.
 *
 * A list, and not a `Set`: the engine makes its table anew every few dozen changes, and the old ones, with all that stood
 * in them, outlive many rounds of the garbage collector. Half of all requests, long answered, were kept that way.
 */
export function openWatchdog(clock: Clock): Watchdog {
  const entries: Watched[] = [];
  let previousMs = clock.steadyMs();
  /** The last one takes the place that gets free. */
  const forget = (entry: Watched): void => {
    if (entry.place < 0) return;
    const last = entries.pop()!;
    if (last !== entry) {
      entries[entry.place] = last;
      last.place = entry.place;
    }
    entry.place = -1;
  };
  const stop = clock.every(tickMs, () => {
    const now = clock.steadyMs();
    // From the end, so that whoever moves up has been looked at already.
    for (let i = entries.length - 1; i >= 0; i -= 1) {
      const entry = entries[i];
      if (!entry) continue;
      if (entry.heard) {
        entry.heard = false;
        entry.lastMs = Math.max(entry.lastMs, previousMs);
      }
      if (now - entry.lastMs >= entry.silenceMs + tickMs) {
        forget(entry);
        entry.expired();
      } else entry.tick?.(now);
    }
    previousMs = now;
  });
  return {
    watch: (entry) => {
      if (entry.place >= 0) return;
      entry.place = entries.length;
      entries.push(entry);
    },
    forget,
    get size() {
      return entries.length;
    },
    close: () => {
      stop();
      for (const entry of entries.splice(0)) entry.place = -1;
    },
  };
}
