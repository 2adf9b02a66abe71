import { AppError } from '../../lib/errors.ts';
import type { Growth } from '../../platform/http/growth.ts';

/** A response that is kept nowhere else, with all that a next one needs of it. */
export interface Remembered {
  id: string;
  /** What it was asked and what it answered, as the inside of a JSON list. */
  items: string;
  /** A response that is kept, which all of this builds on. */
  base?: string | undefined;
}

/** The latest response of each stream of a connection, as long as that lasts. What there is no room for is sent once more by the client. */
export class Memory {
  readonly #latest = new Map<string, Remembered>();

  constructor(
    readonly growth: Growth,
    readonly caller: string,
  ) {}

  /** Of any stream: a conversation may go on in another. */
  find(id: unknown): Remembered | undefined {
    return this.#latest.values().find((one) => one.id === id);
  }

  remember(stream: string, response: Remembered): void {
    this.#forget(stream);
    try {
      this.growth.take(this.caller, response.items.length);
      this.#latest.set(stream, response);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  clear(): void {
    for (const stream of [...this.#latest.keys()]) this.#forget(stream);
  }

  #forget(stream: string): void {
    const before = this.#latest.get(stream);
    if (!before) return;
    this.#latest.delete(stream);
    this.growth.giveBack(this.caller, before.items.length);
  }
}

/** Insides of lists, one after the other. */
export const joined = (...insides: string[]): string => insides.filter((inside) => inside !== '').join(',');
