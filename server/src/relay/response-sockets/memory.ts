import { AppError } from '../../lib/errors.ts';
import type { MemoryBudget } from '../../platform/http/memory-budget.ts';

/** A response that is not stored, with everything the next one needs of it. */
export interface Remembered {
  id: string;
  /** Its input and output items, as the inside of a JSON array. */
  items: string;
  /** A stored response that it builds on. */
  base?: string | undefined;
}

/**
 * The latest response of each stream of a connection, for its lifetime. Without room for it, the client has to send the
 * history again.
 */
export class Memory {
  readonly #latest = new Map<string, Remembered>();

  constructor(
    readonly memoryBudget: MemoryBudget,
    readonly caller: string,
  ) {}

  /** Of any stream: a conversation may continue in another. */
  find(id: unknown): Remembered | undefined {
    return this.#latest.values().find((one) => one.id === id);
  }

  remember(stream: string, response: Remembered): void {
    this.#forget(stream);
    try {
      this.memoryBudget.take(this.caller, response.items.length);
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
    this.memoryBudget.giveBack(this.caller, before.items.length);
  }
}

/** Joins the insides of arrays. */
export const joined = (...insides: string[]): string => insides.filter((inside) => inside !== '').join(',');
