/** An entry that is notified if it stays for long. */
export interface Lingering {
  /** Index in the list, -1 if absent; owned by the list. */
  place: number;
  /** Whether it was present at the last tick; owned by the list. */
  seen: boolean;
  lingers(): void;
}

/**
 * Notifies entries still present after `lookMs` to twice that time. Most are gone by then, so one shared timer is
 * cheaper than setting and clearing one per entry.
 */
export class LingerTimer {
  readonly #entries: Lingering[] = [];
  #timer: Timer | null = null;

  constructor(private readonly lookMs: number) {}

  add(entry: Lingering): void {
    entry.place = this.#entries.length;
    this.#entries.push(entry);
    if (!this.#timer) this.#begin();
  }

  #begin(): void {
    this.#timer = setInterval(() => this.#look(), this.lookMs);
    this.#timer.unref();
  }

  /** Moves the last entry into the free slot. */
  remove(entry: Lingering): void {
    if (entry.place < 0) return;
    const last = this.#entries.pop()!;
    if (last !== entry) {
      this.#entries[entry.place] = last;
      last.place = entry.place;
    }
    entry.place = -1;
  }

  #look(): void {
    if (this.#entries.length === 0) this.#rest();
    const late = this.#entries.filter(({ seen }) => seen);
    for (const entry of this.#entries) entry.seen = true;
    for (const entry of late) {
      // A notified entry may have removed others.
      if (entry.place < 0) continue;
      this.remove(entry);
      entry.lingers();
    }
  }

  #rest(): void {
    clearInterval(this.#timer!);
    this.#timer = null;
  }
}
