import type { Shared } from '../platform/shared/port.ts';

const minuteMs = 60_000;
/** Longer than a minute, so that processes with slightly different clocks use the same counter. */
const keptMs = 2 * minuteMs;

export const minuteOf = (nowMs: number): number => Math.floor(nowMs / minuteMs);
export const minuteEndsInMs = (nowMs: number): number => minuteMs - (nowMs % minuteMs);

/**
 * Counts the current minute over all processes without waiting: additions are sent to Redis in the background, and
 * those of other processes become known with the next addition here. So requests in flight may exceed a limit.
 */
export class MinuteCount {
  #minute = -1;
  #count = 0;

  constructor(
    readonly name: string,
    /** Null if there is only one process. */
    readonly shared: Shared | null,
  ) {}

  at(nowMs: number): number {
    return minuteOf(nowMs) === this.#minute ? this.#count : 0;
  }

  add(nowMs: number, by: number): void {
    const minute = minuteOf(nowMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#count = 0;
    }
    this.#count += by;
    this.shared?.increment(`${this.name}:${minute}`, by, keptMs).then(
      (total) => {
        if (minute === this.#minute && total > this.#count) this.#count = total;
      },
      // Without Redis each process counts for itself.
      () => {},
    );
  }
}
