import type { Clock } from '../../lib/clock.ts';

interface Entry {
  text: string;
  expiresAtMs: number;
}

/** A character takes at most two bytes. */
const bytesOf = (name: string, text: string): number => 2 * (name.length + text.length);

/** An LRU cache of texts in this process, bounded by size. */
export class BoundedTexts {
  #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(
    readonly clock: Pick<Clock, 'steadyMs'>,
    readonly mostBytes: () => number,
  ) {}

  get(name: string): string | null {
    this.#fit(this.mostBytes());
    const entry = this.#entries.get(name);
    if (!entry) return null;
    this.#drop(name, entry);
    if (entry.expiresAtMs <= this.clock.steadyMs()) return null;
    // Moved to the end, which is evicted last.
    this.#put(name, entry);
    return entry.text;
  }

  set(name: string, text: string, ttlMs: number): void {
    const before = this.#entries.get(name);
    if (before) this.#drop(name, before);
    const most = this.mostBytes();
    if (bytesOf(name, text) > most) return;
    this.#put(name, { text, expiresAtMs: this.clock.steadyMs() + ttlMs });
    this.#fit(most);
  }

  get bytes(): number {
    return this.#bytes;
  }

  #fit(most: number): void {
    if (this.#bytes <= most) return;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= most) return;
      this.#drop(oldest, entry);
    }
  }

  #put(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    this.#bytes += bytesOf(name, entry.text);
  }

  #drop(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#bytes -= bytesOf(name, entry.text);
  }
}
