import type { Clock } from '../lib/clock.ts';

/** Something that times out after a period of silence. */
export interface Watched {
  /** When something last happened, as of the last tick. */
  lastMs: number;
  /** Set on activity and cleared by the tick: setting a flag is cheaper than reading the clock for every event. */
  heard: boolean;
  /** Silence after which `expired` is called, once: never earlier, and at most two ticks later. */
  silenceMs: number;
  /** Index in the watchdog's list, -1 if absent; owned by the watchdog. */
  place: number;
  expired(): void;
  /** Called about four times a second while watched. */
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
 * One timer for all open calls: thousands of streams would otherwise set and clear thousands of timers a second.
 *
 * A list rather than a `Set`: the engine rebuilds a set's table every few dozen changes, and the old tables keep their
 * entries alive through many garbage collections; half of all finished requests were retained that way.
 */
export function openWatchdog(clock: Clock): Watchdog {
  const entries: Watched[] = [];
  let previousMs = clock.steadyMs();
  /** Moves the last entry into the free slot. */
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
    // Backwards, so that an entry moved into a free slot has been visited already.
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
