import type { Shared } from '../platform/shared/port.ts';

const minuteMs = 60_000;
/** Longer than its minute, so that processes whose clocks differ a little count in the same place. */
const keptMs = 2 * minuteMs;

export const minuteOf = (nowMs: number): number => Math.floor(nowMs / minuteMs);
export const minuteEndsInMs = (nowMs: number): number => minuteMs - (nowMs % minuteMs);

/**
 * A count of this minute over all processes. Nobody waits for it: what is added is told to the others on the way, and what
 * they added is known a moment after the next addition here. So a limit may be passed by what is under way meanwhile.
 */
export class MinuteCount {
  #minute = -1;
  #count = 0;

  constructor(
    readonly name: string,
    /** Null for a process that is alone. */
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
      // While Redis is away each process counts for itself.
      () => {},
    );
  }
}
