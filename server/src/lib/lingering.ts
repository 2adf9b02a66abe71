/** Something that comes and goes, and is told when it stays. */
export interface Lingerer {
  /** The list's own: where it stands among the others, -1 for nowhere. */
  place: number;
  /** The list's own: it was there when the list was last looked at. */
  seen: boolean;
  lingers(): void;
}

/**
 * Tells those that are still there after a while, never sooner than `lookMs` and not later than twice that. Most are gone by
 * then: one timer for all of them costs less than one that each would set and clear.
 */
export class Lingering {
  readonly #entries: Lingerer[] = [];
  #timer: Timer | null = null;

  constructor(private readonly lookMs: number) {}

  add(entry: Lingerer): void {
    entry.place = this.#entries.length;
    this.#entries.push(entry);
    if (!this.#timer) this.#begin();
  }

  #begin(): void {
    this.#timer = setInterval(() => this.#look(), this.lookMs);
    this.#timer.unref();
  }

  /** The last one takes the place that gets free. */
  remove(entry: Lingerer): void {
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
      // Whoever was told before may have ended others.
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
